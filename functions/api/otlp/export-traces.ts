import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { startFlaw } from "../../../lib/domain/traces/limits.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { storeTelemetry } from "../../../lib/handlers/traces/store-telemetry.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentTelemetryGuard } from "../../../lib/wiring/access-guards.ts";
import { otlpFormats } from "../../../lib/http/otlp/wire-format.ts";
import { byProject } from "../../../lib/otlp/traces/by-project.ts";
import { exportedSpans } from "../../../lib/otlp/traces/exported-spans.ts";
import { resultsOfSpans } from "../../../lib/otlp/logs/evaluation-results.ts";
import { partialSuccess } from "../../../lib/otlp/wire/partial-success.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const traces = environmentTraces(database);
const starts = traceStarts();

export const handler = endpoint(
  exportTraces,
  environmentTelemetryGuard(database),
  ({ body, runOnce, warnings: unread, ...caller }) =>
    runOnce({ lease: 0 }, async () => {
      const exported = exportedSpans(body);
      const flaws = new Map(exported.spans.map((span) => [span, startFlaw(span.startedAt, starts, Date.now())]));
      const acceptedSpans = exported.spans.filter((span) => flaws.get(span) === null);
      const startFlaws = [...flaws.values()].filter((flaw) => flaw !== null);
      const { rejections, warnings } = await storeTelemetry(
        database,
        traces,
        caller,
        byProject(acceptedSpans, caller.parentProject),
        (spans, notes) => ({
          ...tracesOf(spans, notes),
          results: resultsOfSpans(spans, notes),
        }),
      );
      return partialSuccess(
        "rejectedSpans",
        [...exported.rejections, ...startFlaws, ...rejections],
        [...unread, ...warnings],
      );
    }),
  otlpFormats.traces,
);
