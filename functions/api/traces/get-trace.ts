import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { skeletonOf, traceReply } from "../../../lib/http/traces/reply.ts";
import { documentOfTrace } from "../../../lib/http/traces/trace-document.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

const database = connect();
const traces = traceReader(database);

export const handler = endpoint(getTrace, environmentGate(database), (request) => {
  const { project, params, query } = request;
  return documentOfTrace(request, traces, {
    name: [query.fields],
    missing: `Trace ${params.trace_id} not found.`,
    of: ({ trace }) => {
      const reply = traceReply(project.id, trace);
      return query.fields === "skeleton" ? skeletonOf(reply) : reply;
    },
  });
});
