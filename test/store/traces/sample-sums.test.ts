import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sumSampler } from "../../../lib/maintenance/sample-sums.ts";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { mainKey } from "../../../lib/store/hours/items.ts";
import { neverExpires } from "../../../lib/dynamo/expiry.ts";
import { countsPartition } from "../../../lib/store/traces/counts.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { hoursPartition } from "../../../lib/store/hours/keys.ts";
import { analyticsWorld } from "./analytics-world.ts";

// A sample may pick any item of the table: each test has tables of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const minute = 60_000;
const [from, to] = ["2026-10-01T10:00:00+00:00", "2026-10-01T11:00:00+00:00"];

/** A project with three traces, whose sums were computed an hour ago. */
const summedWorld = async (retentionDays = 0) => {
  const world = analyticsWorld(database, retentionDays);
  await database.client.send(new PutCommand({ TableName: "access", Item: projectKey(world.project) }));
  await world.save(someTrace(), someTrace(), someTrace());
  await world.settle();
  world.clock.now += 90 * minute;
  const sample = sumSampler(database, () => world.clock.now);
  return { ...world, sample: () => sample(60_000) };
};

/** Adds `difference` to a counter, so that it differs from its rows. */
const addToCounter = (project: string, sk: string, difference: number) =>
  database.client.send(
    new UpdateCommand({
      TableName: "aggregates",
      Key: { pk: countsPartition(project), sk },
      UpdateExpression: "ADD n :by",
      ExpressionAttributeValues: { ":by": difference },
    }),
  );

test("correct sums are not changed, and the sample of a day is checked once", async () => {
  const { sample } = await summedWorld();

  const [first, second] = [await sample(), await sample()];

  expect(first).toMatchObject({ days: 20, hours: 1, wrongHours: 0, doubtfulCounts: 0, wrongCounts: 0 });
  expect(second.days).toBe(0);
});

test("an hour that differs from its rows is recomputed", async () => {
  const { project, sample, figures } = await summedWorld();
  const right = await figures(from, to);
  await database.client.send(
    new UpdateCommand({
      TableName: "aggregates",
      Key: mainKey({ project, hour: "2026-10-01T10", expiry: neverExpires }),
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
])(
  "a counter that differs from its rows is repaired once nothing has changed for ten minutes ($sk)",
  async (counter) => {
    const { project, sample, total, clock, save, settle } = await summedWorld(counter.retentionDays);
    await addToCounter(project, counter.sk, 5);
    const wrong = await total();

    const first = await sample();
    clock.now += 9 * minute;
    const earlySample = await sample();
    clock.now += 2 * minute;
    const { lines, result } = await publishedLines(() => Promise.all([sample(), sample()]));
    const [lateSample, parallelSample] = await result;
    const repairedTotal = await total();
    await save(someTrace());
    await settle();

    expect([wrong, repairedTotal, await total()]).toEqual([8, 3, 4]);
    expect([first.doubtfulCounts, first.wrongCounts, earlySample.wrongCounts]).toEqual([1, 0, 0]);
    expect(lateSample.wrongCounts + parallelSample.wrongCounts).toBe(1);
    expect(lines).toMatchObject([{ event: "sum_mended", SumsMended: 1, sum: "count", project_id: project }]);
  },
);

test("a counter that only lags behind its rows is not repaired", async () => {
  const { sample, total, clock, save, settle } = await summedWorld();
  await save(someTrace());

  const first = await sample();
  await settle();
  clock.now += 11 * minute;
  const second = await sample();

  expect([first.doubtfulCounts, second.wrongCounts]).toEqual([1, 0]);
  expect(await total()).toBe(4);
});

test("items that a later version has put beside counters and hours are ignored", async () => {
  const { project, sample, total } = await summedWorld();
  for (const pk of [countsPartition(project), hoursPartition(project)]) {
    await database.client.send(new PutCommand({ TableName: "aggregates", Item: { pk, sk: "later#1", added: true } }));
  }

  const report = await sample();

  expect(report).toMatchObject({ days: 20, hours: 1, wrongHours: 0, doubtfulCounts: 0, wrongCounts: 0 });
  expect(await total()).toBe(3);
});
