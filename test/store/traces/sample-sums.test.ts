import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sumSampling } from "../../../lib/upkeep/sample-sums.ts";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { mainKey } from "../../../lib/store/hours/items.ts";
import { kept } from "../../../lib/store/expiry.ts";
import { countsPartition } from "../../../lib/store/traces/counts.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { hoursPartition } from "../../../lib/store/hours/keys.ts";
import { analyticsWorld } from "./analytics-world.ts";

// A sample looks at anything in the table: each test has a table of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const minute = 60_000;
const [from, to] = ["2026-10-01T10:00:00+00:00", "2026-10-01T11:00:00+00:00"];

/** Three traces whose sums are right, an hour ago. */
const summedUp = async (retentionDays = 0) => {
  const world = analyticsWorld(database, retentionDays);
  await database.client.send(new PutCommand({ TableName: "access", Item: projectKey(world.project) }));
  await world.save(someTrace(), someTrace(), someTrace());
  await world.settle();
  world.clock.now += 90 * minute;
  const sample = sumSampling(database, () => world.clock.now);
  return { ...world, sample: () => sample(60_000) };
};

/** Adds to a counter what no row stands for. */
const spoilCounter = (project: string, sk: string, by: number) =>
  database.client.send(
    new UpdateCommand({
      TableName: "aggregates",
      Key: { pk: countsPartition(project), sk },
      UpdateExpression: "ADD n :by",
      ExpressionAttributeValues: { ":by": by },
    }),
  );

test("sums that are right stay as they are, and a day's sample is taken once", async () => {
  const { sample } = await summedUp();

  const [first, second] = [await sample(), await sample()];

  expect(first).toMatchObject({ days: 20, hours: 1, wrongHours: 0, doubtfulCounts: 0, wrongCounts: 0 });
  expect(second.days).toBe(0);
});

test("an hour that does not tell its rows is computed again", async () => {
  const { project, sample, figures } = await summedUp();
  const right = await figures(from, to);
  await database.client.send(
    new UpdateCommand({
      TableName: "aggregates",
      Key: mainKey({ project, hour: "2026-10-01T10", expiry: kept }),
      UpdateExpression: "REMOVE t",
    }),
  );

  const { lines, result } = await publishedLines(sample);

  expect(await result).toMatchObject({ hours: 1, wrongHours: 1 });
  expect(lines).toMatchObject([{ event: "sum_mended", SumsMended: 1, sum: "hour", project_id: project }]);
  expect(await figures(from, to)).toEqual(right);
});

test.each([
  { retentionDays: 0, sk: "total#shard" },
  { retentionDays: 30, sk: "expires#2026-11-01#shard" },
])("a counter that does not tell its rows is mended when nothing has moved for ten minutes ($sk)", async (given) => {
  const { project, sample, total, clock, save, settle } = await summedUp(given.retentionDays);
  await spoilCounter(project, given.sk, 5);
  const wrong = await total();

  const first = await sample();
  clock.now += 9 * minute;
  const early = await sample();
  clock.now += 2 * minute;
  const { lines, result } = await publishedLines(() => Promise.all([sample(), sample()]));
  const [late, beside] = await result;
  const mended = await total();
  await save(someTrace());
  await settle();

  expect([wrong, mended, await total()]).toEqual([8, 3, 4]);
  expect([first.doubtfulCounts, first.wrongCounts, early.wrongCounts]).toEqual([1, 0, 0]);
  expect(late.wrongCounts + beside.wrongCounts).toBe(1);
  expect(lines).toMatchObject([{ event: "sum_mended", SumsMended: 1, sum: "count", project_id: project }]);
});

test("a counter that only lags behind its rows is left to the stream", async () => {
  const { sample, total, clock, save, settle } = await summedUp();
  await save(someTrace());

  const first = await sample();
  await settle();
  clock.now += 11 * minute;
  const second = await sample();

  expect([first.doubtfulCounts, second.wrongCounts]).toEqual([1, 0]);
  expect(await total()).toBe(4);
});

test("what a later version has put beside counters and hours is neither", async () => {
  const { project, sample, total } = await summedUp();
  for (const pk of [countsPartition(project), hoursPartition(project)]) {
    await database.client.send(new PutCommand({ TableName: "aggregates", Item: { pk, sk: "later#1", added: true } }));
  }

  const report = await sample();

  expect(report).toMatchObject({ days: 20, hours: 1, wrongHours: 0, doubtfulCounts: 0, wrongCounts: 0 });
  expect(await total()).toBe(3);
});
