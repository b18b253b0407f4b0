import { updateTrace } from "../../../lib/contract/traces/changes.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { traceReply } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const traces = environmentTraces(database);

export const handler = endpoint(updateTrace, environmentGuard(database), async ({ params, body, project }) => {
  const trace = await traces.change(project, params.trace_id, { kind: "trace-patch", update: body });
  if (trace === null) throw notFound(`Trace ${params.trace_id} not found.`);
  return traceReply(project.id, trace);
});
