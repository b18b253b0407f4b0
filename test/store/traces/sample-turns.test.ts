import { randomUUID } from "node:crypto";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { projectKey } from "../../../lib/store/access/keys.ts";
import type { Database } from "../../../lib/store/database.ts";
import { eraseAggregates } from "../../../lib/store/hours/erase.ts";
import { mainKey } from "../../../lib/store/hours/items.ts";
import { nothingCounted } from "../../../lib/store/traces/row-count.ts";
import { countChecks } from "../../../lib/store/traces/count-check.ts";
import { countsPartition } from "../../../lib/store/traces/counts.ts";
import { projectOfKey } from "../../../lib/store/deletion/table-scan.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { statisticsCheck } from "../../../lib/store/scores/statistics-check.ts";
import { sumSampling } from "../../../lib/upkeep/sample-sums.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someScore, storedTrace } from "../scores/score-fixture.ts";
import { analyticsWorld } from "./analytics-world.ts";

// A sample looks at anything in the table: each test has a table of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const [minute, hour] = [60_000, 3_600_000];

/** A connection whose pages of rows have so many items, as DynamoDB's do at a megabyte; `page` is called before each. */
const smallPages = (size: number, page: () => void): Database => {
  const own = faultyDatabase(database, ({ operation, input }) => {
    if (operation === "Query" && input["TableName"] === "rows") page();
    return null;
  });
  own.client.middlewareStack.add(
    (next) => (args) => {
      const input = args.input as { TableName?: string; KeyConditionExpression?: string };
      return next({
        ...args,
        input:
          input.TableName === "rows" && input.KeyConditionExpression !== undefined ? { ...input, Limit: size } : input,
      });
    },
    { step: "initialize", name: "smallPages" },
  );
  return own;
};

const traceAt = (time: string) => ({ trace_id: randomUUID(), name: "agent", started_at: time });

/** A project with so many traces in each of some hours, summed up a day ago, and a worker to which every page takes a second. */
const summedUp = async (hours: number, each: number, pageSize: number) => {
  const world = analyticsWorld(database);
  await database.client.send(new PutCommand({ TableName: "access", Item: projectKey(world.project) }));
  const start = Date.parse("2026-10-01T00:00:00Z");
  const times = Array.from({ length: hours }, (_, number) => new Date(start + number * hour).toISOString());
  for (const time of times) {
    await world.save(...Array.from({ length: each }, () => traceAt(`${time.slice(0, 19)}+00:00`)));
  }
  await world.settle();
  world.clock.now += 24 * hour;
  let pages = 0;
  const slow = smallPages(pageSize, () => {
    world.clock.now += 1_000;
    pages += 1;
  });
  return {
    ...world,
    sample: sumSampling(slow, () => world.clock.now),
    /** Pages of rows since it was asked last. */
    pages: () => {
      const before = pages;
      pages = 0;
      return before;
    },
  };
};

test("a sample keeps to its time, and the next sweep goes on with it until every hour of it was looked at", async () => {
  const { project, clock, sample, figures } = await summedUp(20, 1, 100);
  const range = ["2026-10-01T00:00:00+00:00", "2026-10-02T00:00:00+00:00"] as const;
  const right = await figures(...range);
  for (const wrong of ["2026-10-01T02", "2026-10-01T19"]) {
    const Key = mainKey({ project, hour: wrong, expiry: "-" });
    await database.client.send(new UpdateCommand({ TableName: "aggregates", Key, UpdateExpression: "REMOVE t" }));
  }

  const [taken, parts]: [number[], Awaited<ReturnType<typeof sample>>[]] = [[], []];
  for (let sweep = 0; sweep < 40; sweep += 1) {
    const begun = clock.now;
    parts.push(await sample(9_000));
    taken.push(clock.now - begun);
  }

  // A budget of nine seconds; of each kind one step ends after its share.
  expect(Math.max(...taken)).toBeLessThanOrEqual(12_000);
  const sum = (of: "days" | "hours" | "wrongHours"): number => parts.reduce((total, part) => total + part[of], 0);
  expect([sum("days"), sum("hours"), sum("wrongHours")]).toEqual([20, 20, 2]);
  expect(await figures(...range)).toEqual(right);
});

test("a project with more rows than a turn has time for is counted on where it ended, and its counter is mended", async () => {
  const { project, clock, sample, pages, total } = await summedUp(6, 10, 4);
  await database.client.send(
    new UpdateCommand({
      TableName: "aggregates",
      Key: { pk: countsPartition(project), sk: "total#shard" },
      UpdateExpression: "ADD n :by",
      ExpressionAttributeValues: { ":by": -7 },
    }),
  );
  const wrong = await total();

  let [doubtful, mended, most] = [0, 0, 0];
  for (let sweep = 0; sweep < 60 && mended === 0; sweep += 1) {
    // No time at all: each kind has its one step.
    const part = await sample(0);
    most = Math.max(most, pages());
    doubtful += part.doubtfulCounts;
    mended += part.wrongCounts;
    clock.now += minute;
  }

  expect([wrong, doubtful, mended, await total()]).toEqual([53, 1, 1, 60]);
  expect(most).toBeLessThanOrEqual(3);
});

test("a project of very many rows rests for as many days as it has shares of 200,000", async () => {
  const { project, clock } = await summedUp(1, 1, 100);
  const counts = countChecks(database, () => clock.now);
  await counts.begin(project);
  const [begun] = await counts.due();
  if (begun === undefined) throw new Error("Nothing was begun.");
  const counted = { place: { day: "2026-10-01", row: null }, rows: 500_000, counters: { "total#": { n: 1 } } };
  await counts.touch({ ...begun, count: counted });
  const [touched] = await counts.due();
  if (touched === undefined) throw new Error("It is gone.");

  const finding = await counts.step({ ...touched, rev: touched.rev - 1 }, clock.now);
  const days: number[] = [];
  for (let day = 0; day < 3; day += 1) {
    await counts.begin(project);
    days.push((await counts.due()).length);
    clock.now += 24 * hour;
  }

  expect([finding, days]).toEqual(["right", [0, 0, 1]]);
});

test("what the checks have noted of a project goes with the project", async () => {
  const { project, clock } = await summedUp(1, 1, 100);
  const counts = countChecks(database, () => clock.now);
  const statistics = statisticsCheck(database, () => clock.now);
  const trace_id = await storedTrace(database, project);
  await counts.begin(project);
  await counts.touch({ project, rev: 0, at: 0, from: 0, count: nothingCounted });
  await scoreCreation(database).ofTrace(someScore({ project_id: project, trace_id }));
  await statistics.look({ project, target: "trace", hour: "2026-11-21T09" }, Number.POSITIVE_INFINITY);
  const noted = async () =>
    (await itemsNaming(database, [project]))
      .filter(({ table }) => table === "aggregates")
      .map(({ item }) => item["pk"]);
  const before = await noted();

  for await (const _ of eraseAggregates(database)(project));

  expect(before).toContain("pending#count-checks");
  expect(before).toContain("pending#score-checks");
  expect(await noted()).toEqual([]);
  expect(projectOfKey({ pk: "pending#count-checks", sk: `${project}#check` })).toBe(project);
});
