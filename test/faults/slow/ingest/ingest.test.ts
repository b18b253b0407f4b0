import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { tableStream, type TableStream } from "../../../support/database/table-stream.ts";
import { runsAllCases } from "../../../support/sample.ts";
import { runIngest } from "../../ingest/schedule.ts";

let database: TestDatabase;
let stream: TableStream;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  stream = await tableStream(database, "rows");
});
afterAll(() => database.close());

const [firstSeed, schedules] = [20_261_101, runsAllCases ? 40 : 8];

test("acknowledged data is stored completely until it is deleted, and nothing of it is left afterwards, under injected failures", async () => {
  const failures: string[] = [];
  let [acked, deaths] = [0, 0];
  for (let seed = firstSeed; seed < firstSeed + schedules; seed += 1) {
    const report = await runIngest(database, stream, seed);
    acked += report.acked;
    deaths += report.deletedIncarnations;
    if (report.violations.length > 0) failures.push(`seed ${seed}: ${report.violations.join("; ")}`);
  }

  expect(failures).toEqual([]);
  expect(acked).toBeGreaterThan(20);
  expect(deaths).toBeGreaterThan(0);
});
