import { getSpan } from "../../../lib/contract/traces/traces.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { spanReply } from "../../../lib/http/traces/reply.ts";
import { documentOfTrace } from "../../../lib/http/traces/trace-document.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

const database = connect();
const traces = traceReader(database);

export const handler = endpoint(getSpan, environmentGuard(database), (request) => {
  const { trace_id, span_id } = request.params;
  const missing = `Span ${span_id} not found on trace ${trace_id}.`;
  return documentOfTrace(request, traces, {
    name: ["span", span_id],
    notFoundDetail: missing,
    render: ({ trace }) => {
      const span = trace.spans.find((each) => each.span_id === span_id);
      if (span === undefined) throw notFound(missing);
      return spanReply(trace, span);
    },
  });
});
