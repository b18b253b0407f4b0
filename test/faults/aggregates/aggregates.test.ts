import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { type TableStream, tableStream } from "../../support/database/table-stream.ts";
import { runAggregates } from "./schedule.ts";
import { runOpenTelemetry } from "../ingest/open-telemetry-schedule.ts";

let database: TestDatabase;
let rows: TableStream;
beforeAll(async () => {
  // The workers log every failure that is made to happen.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  database = await startDatabase({ streams: true });
  rows = await tableStream(database, "rows");
});
afterAll(() => database.close());

const [firstSeed, schedules, budget] = [20_261_121, 12, 8_000];

test("lists and aggregates are the model's, whatever goes wrong and however the stream is delivered", async () => {
  const [until, said] = [Date.now() + budget, new Array<string>()];
  let faults = 0;
  for (let seed = firstSeed; seed < firstSeed + schedules && Date.now() < until; seed += 1) {
    const done = await runAggregates(database, rows, seed);
    faults += done.tally.size;
    if (done.violations.length > 0) said.push(`seed ${seed}: ${done.violations.join("; ")}`);
  }

  expect(said).toEqual([]);
  expect(faults).toBeGreaterThan(0);
});

test("spans that twenty exporters send one by one, the root last, make the model's traces and aggregates", async () => {
  const done = await runOpenTelemetry(database, rows, firstSeed, 2);

  expect(done.violations).toEqual([]);
});
