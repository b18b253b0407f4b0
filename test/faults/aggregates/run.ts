/**
 * Runs random changes through failing processes, with failing stream workers, and compares lists and aggregates with
 * the model.
 *     npm run faults:aggregates -- [--schedules 1000] [--seed 1]
 */
import { parseArgs } from "node:util";
import { startDatabase } from "../../support/database/database.ts";
import { type TableStream, tableStream } from "../../support/database/table-stream.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { type AggregateReport, runAggregates } from "./schedule.ts";
import { runOpenTelemetry } from "../ingest/open-telemetry-schedule.ts";

const { values } = parseArgs({
  options: { schedules: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } },
});
const [schedules, seed] = [Number(values.schedules), Number(values.seed)];

/** Share of the schedules that imitate OpenTelemetry exporters: every fiftieth. */
const share = 50;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
// Workers log every injected failure.
console.log = () => undefined;

const run = (database: Database, rows: TableStream, next: number): Promise<AggregateReport> =>
  next % share === 0 ? runOpenTelemetry(database, rows, next, 20) : runAggregates(database, rows, next);

const startedAt = performance.now();
const database = await startDatabase({ streams: true });
const rows = await tableStream(database, "rows");
let [failed, faults] = [0, 0];
for (let next = seed; next < seed + schedules; next += 1) {
  const { violations, tally } = await run(database, rows, next);
  for (const violation of violations) print(`seed ${next}: ${violation}`);
  failed += violations.length > 0 ? 1 : 0;
  for (const count of tally.values()) faults += count;
}
await database.close();
const seconds = Math.round((performance.now() - startedAt) / 1000);
print(`${schedules} schedules from seed ${seed}: ${faults} faults, ${failed} with violations, ${seconds} s`);
process.exit(failed === 0 ? 0 : 1);
