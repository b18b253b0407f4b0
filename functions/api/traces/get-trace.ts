import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { skeletonOf, traceReply } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

const database = connect();
const traces = traceReader(database);

export const handler = endpoint(getTrace, environmentGate(database), async ({ params, project, query }) => {
  const found = await traces.get(project.id, params.trace_id);
  if (found === null) throw notFound(`Trace ${params.trace_id} not found.`);
  const reply = traceReply(project.id, found.trace);
  return query.fields === "skeleton" ? skeletonOf(reply) : reply;
});
