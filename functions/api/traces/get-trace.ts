import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { maxSpansWithContent } from "../../../lib/domain/traces/limits.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { traceSkeleton, traceReply } from "../../../lib/http/traces/reply.ts";
import { documentOfTrace } from "../../../lib/http/traces/trace-document.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

const database = connect();
const traces = traceReader(database);

export const handler = endpoint(getTrace, environmentGuard(database), (request) => {
  const { project, params, query } = request;
  return documentOfTrace(request, traces, {
    name: [query.fields],
    notFoundDetail: `Trace ${params.trace_id} not found.`,
    render: ({ trace }) => {
      const reply = traceReply(project.id, trace);
      const isLarge = trace.spans.length > maxSpansWithContent;
      return query.fields === "skeleton" || (query.fields === "auto" && isLarge) ? traceSkeleton(reply) : reply;
    },
  });
});
