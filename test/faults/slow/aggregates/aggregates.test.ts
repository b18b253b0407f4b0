import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { type TableStream, tableStream } from "../../../support/database/table-stream.ts";
import { runAggregates } from "../../aggregates/schedule.ts";
import { runsAllCases } from "../../../support/sample.ts";
import { runOpenTelemetry } from "../../ingest/open-telemetry-schedule.ts";

let database: TestDatabase;
let rows: TableStream;
beforeAll(async () => {
  // Workers log every injected failure.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  database = await startDatabase({ streams: true });
  rows = await tableStream(database, "rows");
});
afterAll(() => database.close());

const [firstSeed, schedules] = [20_261_121, runsAllCases ? 40 : 6];

test("lists and aggregates match the model under injected failures and any order of stream deliveries", async () => {
  const failures: string[] = [];
  let faults = 0;
  for (let seed = firstSeed; seed < firstSeed + schedules; seed += 1) {
    const report = await runAggregates(database, rows, seed);
    faults += report.tally.size;
    if (report.violations.length > 0) failures.push(`seed ${seed}: ${report.violations.join("; ")}`);
  }

  expect(failures).toEqual([]);
  expect(faults).toBeGreaterThan(0);
});

test("spans sent one by one by twenty exporters, the root last, produce the model's traces and aggregates", async () => {
  const report = await runOpenTelemetry(database, rows, firstSeed, 2);

  expect(report.violations).toEqual([]);
});
