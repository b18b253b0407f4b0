import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { startFlaw } from "../../../lib/domain/traces/starts.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { takeIn } from "../../../lib/handlers/traces/take-in.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { otlpWires } from "../../../lib/http/otlp/wire.ts";
import { exportedSpans } from "../../../lib/otlp/exported-span.ts";
import { partialSuccess } from "../../../lib/otlp/partial-success.ts";
import { tracesOf } from "../../../lib/otlp/traces-of.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentTraces } from "../../../lib/wiring/priced-traces.ts";

const database = connect();
const traces = environmentTraces(database);
const starts = traceStarts();

export const handler = endpoint(
  exportTraces,
  environmentGate(database),
  ({ body, once, project }) =>
    once({ lease: 0 }, async () => {
      const exported = exportedSpans(body);
      const flaws = new Map(exported.spans.map((span) => [span, startFlaw(span.startedAt, starts, Date.now())]));
      const sent = tracesOf(exported.spans.filter((span) => flaws.get(span) === null));
      const badly = [...flaws.values()].filter((flaw) => flaw !== null);
      const refused = await takeIn(traces, project, sent.traces);
      return partialSuccess("rejectedSpans", [...exported.refused, ...badly, ...sent.refused, ...refused]);
    }),
  otlpWires.traces,
);
