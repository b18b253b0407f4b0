import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream, type TableStream } from "../../support/database/table-stream.ts";
import { runIngest } from "./schedule.ts";

let database: TestDatabase;
let stream: TableStream;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  stream = await tableStream(database, "rows");
});
afterAll(() => database.close());

/** Some are run however slow the machine is. */
const [firstSeed, fewest, schedules, budget] = [20_261_101, 8, 40, 8_000];

test("what was acknowledged is stored, whole, until it is deleted, and nothing of it is left then, whatever goes wrong", async () => {
  const [until, said] = [Date.now() + budget, new Array<string>()];
  let [acked, deaths] = [0, 0];
  for (let seed = firstSeed; seed < firstSeed + schedules; seed += 1) {
    if (seed >= firstSeed + fewest && Date.now() > until) break;
    const done = await runIngest(database, stream, seed);
    acked += done.acked;
    deaths += done.deaths;
    if (done.violations.length > 0) said.push(`seed ${seed}: ${done.violations.join("; ")}`);
  }

  expect(said).toEqual([]);
  expect(acked).toBeGreaterThan(20);
  expect(deaths).toBeGreaterThan(0);
});
