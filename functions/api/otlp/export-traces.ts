import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { startFlaw } from "../../../lib/domain/traces/starts.ts";
import { retentionDays, traceStarts } from "../../../lib/wiring/environment.ts";
import { sideBySide } from "../../../lib/async/side-by-side.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { otlpWire } from "../../../lib/http/otlp/wire.ts";
import { exportedSpans } from "../../../lib/otlp/exported-span.ts";
import { partialSuccess } from "../../../lib/otlp/partial-success.ts";
import { tracesOf, type SentTrace } from "../../../lib/otlp/traces-of.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";

const database = connect();
const traces = traceStore(database, retentionDays());
const starts = traceStarts();

/** Traces stored at a time. */
const parallel = 10;

export const handler = endpoint(
  exportTraces,
  environmentGate(database),
  async ({ body, project }) => {
    const exported = exportedSpans(body);
    const flaws = new Map(exported.spans.map((span) => [span, startFlaw(span.startedAt, starts, Date.now())]));
    const sent = tracesOf(exported.spans.filter((span) => flaws.get(span) === null));
    const badly = [...flaws.values()].filter((flaw) => flaw !== null);
    const store = async ({ trace, spanCount }: SentTrace): Promise<readonly string[]> => {
      try {
        await traces.save(project.id, trace, "telemetry", project.metadataKeys);
        return [];
      } catch (error) {
        // What will never fit is told; what may go better later makes the whole request one to be repeated.
        if (error instanceof Refusal && error.reason.kind === "too-large") {
          return Array<string>(spanCount).fill(error.reason.detail);
        }
        throw error;
      }
    };
    const refused = await sideBySide(sent.traces, parallel, store);
    return partialSuccess([...exported.refused, ...badly, ...sent.refused, ...refused.flat()]);
  },
  otlpWire,
);
