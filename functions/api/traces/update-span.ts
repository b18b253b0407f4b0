import { updateSpan } from "../../../lib/contract/traces/changes.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { spanReply } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const traces = environmentTraces(database);

export const handler = endpoint(updateSpan, environmentGuard(database), async ({ params, body, project }) => {
  const { trace_id, span_id } = params;
  const trace = await traces.change(project, trace_id, { kind: "span-patch", spanId: span_id, update: body });
  const span = trace?.spans.find((each) => each.span_id === span_id);
  if (trace === null || span === undefined) throw notFound(`Span ${span_id} not found on trace ${trace_id}.`);
  return spanReply(trace, span);
});
