import { listSpans } from "../../../lib/contract/traces/traces.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { pagedReply } from "../../../lib/http/paging.ts";
import { traceSkeleton, traceReply } from "../../../lib/http/traces/reply.ts";
import { documentOfTrace } from "../../../lib/http/traces/trace-document.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

const database = connect();
const traces = traceReader(database);

export const handler = endpoint(listSpans, environmentGuard(database), (request) => {
  const { project, params, query, paging } = request;
  const { limit, offset, after } = paging;
  return documentOfTrace(request, traces, {
    name: ["spans", query.fields, JSON.stringify([limit, offset, after])],
    notFoundDetail: `Trace ${params.trace_id} not found.`,
    render: ({ trace }) => {
      const reply = traceReply(project.id, trace);
      const { spans } = query.fields === "skeleton" ? traceSkeleton(reply) : reply;
      return pagedReply(paging, spans, ({ started_at, span_id }) => ({ key: started_at, id: span_id }), "asc");
    },
  });
});
