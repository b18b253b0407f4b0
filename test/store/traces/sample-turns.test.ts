import { randomUUID } from "node:crypto";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { projectKey } from "../../../lib/store/access/keys.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { eraseAggregates } from "../../../lib/store/hours/erase.ts";
import { mainKey } from "../../../lib/store/hours/items.ts";
import { emptyRowCount } from "../../../lib/store/traces/row-count.ts";
import { countChecks } from "../../../lib/store/traces/count-check.ts";
import { countsPartition } from "../../../lib/store/traces/counts.ts";
import { projectOfKey } from "../../../lib/store/deletion/table-scan.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { statisticsCheck } from "../../../lib/store/scores/statistics-check.ts";
import { sumSampler } from "../../../lib/maintenance/sample-sums.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someScore, storedTrace } from "../scores/score-fixture.ts";
import { analyticsWorld } from "./analytics-world.ts";

// A sample may pick any item of the table: each test has tables of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const [minute, hour] = [60_000, 3_600_000];

/** A connection whose queries of rows return at most `size` items per page; `page` is called before each. */
const smallPages = (size: number, page: () => void): Database => {
  const faultyDb = faultyDatabase(database, ({ operation, input }) => {
    if (operation === "Query" && input["TableName"] === "rows") page();
    return null;
  });
  faultyDb.client.middlewareStack.add(
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
  return faultyDb;
};

const traceAt = (time: string) => ({ trace_id: randomUUID(), name: "agent", started_at: time });

/** A project with `each` traces in each of some hours, summed up a day ago, and a sampler for which each page of rows takes a second. */
const summedWorld = async (hours: number, each: number, pageSize: number) => {
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
    sample: sumSampler(slow, () => world.clock.now),
    /** Returns the number of row pages that were read since the previous call. */
    pages: () => {
      const before = pages;
      pages = 0;
      return before;
    },
  };
};

test("a sample respects its time budget, and later sweeps continue it until all of its hours are checked", async () => {
  const { project, clock, sample, figures } = await summedWorld(20, 1, 100);
  const range = ["2026-10-01T00:00:00+00:00", "2026-10-02T00:00:00+00:00"] as const;
  const right = await figures(...range);
  for (const wrong of ["2026-10-01T02", "2026-10-01T19"]) {
    const Key = mainKey({ project, hour: wrong, expiry: "-" });
    await database.client.send(new UpdateCommand({ TableName: "aggregates", Key, UpdateExpression: "REMOVE t" }));
  }

  const [durations, parts]: [number[], Awaited<ReturnType<typeof sample>>[]] = [[], []];
  for (let sweep = 0; sweep < 40; sweep += 1) {
    const startedAt = clock.now;
    parts.push(await sample(9_000));
    durations.push(clock.now - startedAt);
  }

  // A sweep has a budget of nine seconds; each kind of check may exceed its share by one step.
  expect(Math.max(...durations)).toBeLessThanOrEqual(12_000);
  const sum = (of: "days" | "hours" | "wrongHours"): number => parts.reduce((total, part) => total + part[of], 0);
  expect([sum("days"), sum("hours"), sum("wrongHours")]).toEqual([20, 20, 2]);
  expect(await figures(...range)).toEqual(right);
});

test("the count of a project with more rows than fit a turn is continued in the next one, and its counter is repaired", async () => {
  const { project, clock, sample, pages, total } = await summedWorld(6, 10, 4);
  await database.client.send(
    new UpdateCommand({
      TableName: "aggregates",
      Key: { pk: countsPartition(project), sk: "total#shard" },
      UpdateExpression: "ADD n :by",
      ExpressionAttributeValues: { ":by": -7 },
    }),
  );
  const wrong = await total();

  let [doubtful, repairedCounts, maxPages] = [0, 0, 0];
  for (let sweep = 0; sweep < 60 && repairedCounts === 0; sweep += 1) {
    // Without time, each kind of check makes one step.
    const part = await sample(0);
    maxPages = Math.max(maxPages, pages());
    doubtful += part.doubtfulCounts;
    repairedCounts += part.wrongCounts;
    clock.now += minute;
  }

  expect([wrong, doubtful, repairedCounts, await total()]).toEqual([53, 1, 1, 60]);
  expect(maxPages).toBeLessThanOrEqual(3);
});

test("a project with very many rows is checked again after one day per 200,000 rows", async () => {
  const { project, clock } = await summedWorld(1, 1, 100);
  const counts = countChecks(database, () => clock.now);
  await counts.begin(project);
  const [startedCheck] = await counts.due();
  if (startedCheck === undefined) throw new Error("No check was started.");
  const largeCount = { place: { day: "2026-10-01", row: null }, rows: 500_000, counters: { "total#": { n: 1 } } };
  await counts.moveToEnd({ ...startedCheck, count: largeCount });
  const [dueCheck] = await counts.due();
  if (dueCheck === undefined) throw new Error("The check is gone.");

  const finding = await counts.step({ ...dueCheck, rev: dueCheck.rev - 1 }, clock.now);
  const days: number[] = [];
  for (let day = 0; day < 3; day += 1) {
    await counts.begin(project);
    days.push((await counts.due()).length);
    clock.now += 24 * hour;
  }

  expect([finding, days]).toEqual(["correct", [0, 0, 1]]);
});

test("the pending checks of a deleted project are erased", async () => {
  const { project, clock } = await summedWorld(1, 1, 100);
  const counts = countChecks(database, () => clock.now);
  const statistics = statisticsCheck(database, () => clock.now);
  const trace_id = await storedTrace(database, project);
  await counts.begin(project);
  await counts.moveToEnd({ project, rev: 0, at: 0, from: 0, count: emptyRowCount });
  await scoreCreation(database).ofTrace(someScore({ project_id: project, trace_id }));
  await statistics.check({ project, target: "trace", hour: "2026-11-21T09" }, Number.POSITIVE_INFINITY);
  const storedChecks = async () =>
    (await itemsNaming(database, [project]))
      .filter(({ table }) => table === "aggregates")
      .map(({ item }) => item["pk"]);
  const before = await storedChecks();

  for await (const _ of eraseAggregates(database)(project));

  expect(before).toContain("pending#count-checks");
  expect(before).toContain("pending#score-checks");
  expect(await storedChecks()).toEqual([]);
  expect(projectOfKey({ pk: "pending#count-checks", sk: `${project}#check` })).toBe(project);
});
