import { exportLogs } from "../../../lib/contract/otlp/export-logs.ts";
import { startFlaw } from "../../../lib/domain/traces/limits.ts";
import { storeTelemetry } from "../../../lib/handlers/traces/store-telemetry.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { otlpFormats } from "../../../lib/http/otlp/wire-format.ts";
import { byProject } from "../../../lib/otlp/traces/by-project.ts";
import { exportedEvents } from "../../../lib/otlp/logs/exported-event.ts";
import { tracesOfEvents } from "../../../lib/otlp/logs/event-traces.ts";
import { resultsOfEvents } from "../../../lib/otlp/logs/evaluation-results.ts";
import { partialSuccess } from "../../../lib/otlp/wire/partial-success.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { environmentTelemetryGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const traces = environmentTraces(database);
const starts = traceStarts();

export const handler = endpoint(
  exportLogs,
  environmentTelemetryGuard(database),
  ({ body, runOnce, warnings: unread, ...caller }) =>
    runOnce({ lease: 0 }, async () => {
      const exported = exportedEvents(body);
      const flaws = new Map(exported.events.map((event) => [event, startFlaw(event.at, starts, Date.now())]));
      const startFlaws = [...flaws.values()].filter((flaw) => flaw !== null);
      const acceptedEvents = exported.events.filter((event) => flaws.get(event) === null);
      const { rejections, warnings } = await storeTelemetry(
        database,
        traces,
        caller,
        byProject(acceptedEvents, caller.parentProject),
        (events, notes) => ({
          ...tracesOfEvents(events, notes),
          results: resultsOfEvents(events, notes),
        }),
      );
      return partialSuccess(
        "rejectedLogRecords",
        [...exported.rejections, ...startFlaws, ...rejections],
        [...unread, ...warnings],
      );
    }),
  otlpFormats.logs,
);
