import { createSpans } from "../../../lib/contract/traces/changes.ts";
import { withSpanIds } from "../../../lib/domain/traces/input.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const traces = environmentTraces(database);

export const handler = endpoint(createSpans, environmentGuard(database), async (request) => {
  const { params, body, idFor, runOnce, project } = request;
  const { trace_id } = params;
  return await runOnce({ lease: 0 }, async () => {
    const spans = withSpanIds(body, (position) => idFor(`${trace_id} ${position}`));
    const exists = await traces.addSpans(project, trace_id, spans);
    if (!exists) throw notFound(`Trace ${trace_id} not found.`);
    return { span_ids: spans.map(({ span_id }) => span_id) };
  });
});
