import { exportLogs } from "../../../lib/contract/otlp/export-logs.ts";
import { startFlaw } from "../../../lib/domain/traces/starts.ts";
import { takeIn } from "../../../lib/handlers/traces/take-in.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { otlpWires } from "../../../lib/http/otlp/wire.ts";
import { exportedEvents } from "../../../lib/otlp/logs/exported-event.ts";
import { notedTraces } from "../../../lib/otlp/logs/noted-traces.ts";
import { partialSuccess } from "../../../lib/otlp/partial-success.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentTraces } from "../../../lib/wiring/priced-traces.ts";

const database = connect();
const traces = environmentTraces(database);
const starts = traceStarts();

export const handler = endpoint(
  exportLogs,
  environmentGate(database),
  ({ body, once, project }) =>
    once({ lease: 0 }, async () => {
      const exported = exportedEvents(body);
      const flaws = new Map(exported.events.map((event) => [event, startFlaw(event.at, starts, Date.now())]));
      const badly = [...flaws.values()].filter((flaw) => flaw !== null);
      const sent = notedTraces(exported.events.filter((event) => flaws.get(event) === null));
      const refused = await takeIn(traces, project, sent.traces);
      return partialSuccess("rejectedLogRecords", [...exported.refused, ...badly, ...sent.refused, ...refused]);
    }),
  otlpWires.logs,
);
