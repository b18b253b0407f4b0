import { createSpans } from "../../../lib/contract/traces/changes.ts";
import { identifiedSpans } from "../../../lib/domain/traces/identify.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentTraces } from "../../../lib/wiring/priced-traces.ts";

const database = connect();
const traces = environmentTraces(database);

export const handler = endpoint(createSpans, environmentGate(database), async (request) => {
  const { params, body, mint, once, project } = request;
  const { trace_id } = params;
  return await once({ lease: 0 }, async () => {
    const spans = identifiedSpans(body, (position) => mint(`${trace_id} ${position}`));
    const found = await traces.addSpans(project.id, trace_id, spans, project.metadataKeys);
    if (!found) throw notFound(`Trace ${trace_id} not found.`);
    return { span_ids: spans.map(({ span_id }) => span_id) };
  });
});
