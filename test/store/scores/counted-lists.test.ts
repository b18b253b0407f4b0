import { randomUUID } from "node:crypto";
import { PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { counterStore } from "../../../lib/store/totals/counters.ts";
import { facetCounts, sumMatching, runCountsPartition } from "../../../lib/store/totals/facets.ts";
import { eraseAggregates } from "../../../lib/store/hours/erase.ts";
import { runsOfType } from "../../../lib/store/runs/counts.ts";
import { scoreCountsPartition } from "../../../lib/store/scores/counts.ts";
import { countEstimates } from "../../../lib/store/scores/count-estimates.ts";
import { runCounts } from "../../../lib/stream/run-counts.ts";
import { scoreCounts } from "../../../lib/stream/score-counts.ts";
import { sumSampler } from "../../../lib/maintenance/sample-sums.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { recordsOfItems } from "../../support/database/records-of-items.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { runItem, writeRuns } from "../../support/runs/run-items.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { scoreItem, writeScores } from "../../support/score-items.ts";
import { someScore } from "./score-fixture.ts";

// A sample may pick any item of the table: each test has tables of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const minute = 60_000;

/** A project with five runs and five scores, both included in their counters. */
const countedLists = async () => {
  const project = randomUUID();
  await database.client.send(new PutCommand({ TableName: "access", Item: projectKey(project) }));
  const runs = Array.from({ length: 5 }, () => ({
    order: someOrder({ projectId: project, monitorId: "m" }),
    status: "COMPLETED" as const,
  }));
  const scores = Array.from({ length: 5 }, () => someScore({ project_id: project, trace_id: randomUUID() }));
  await writeRuns(database, runs);
  await writeScores(database, scores);
  const counters = counterStore(database);
  await counters.fold("shard", runCounts(recordsOfItems(runs.map((run) => runItem(run)))));
  await counters.fold("shard", recordsOfItems(scores.map((score) => scoreItem(score))).flatMap(scoreCounts));
  const clock = { now: Date.now() };
  const sample = sumSampler(database, () => clock.now);
  const totals = async (): Promise<readonly unknown[]> => {
    const ofRuns = await facetCounts(database).ofScope(runCountsPartition(project), runsOfType("TRACE"));
    return [sumMatching(ofRuns), (await countEstimates(database, "trace", Date.now)(project, {})).matching];
  };
  return { project, clock, totals, sample: () => sample(60_000) };
};

/** Adds 2 to every counter of a partition, so that the counters are wrong. */
const addToCounters = async (pk: string): Promise<void> => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "aggregates",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
    }),
  );
  for (const { sk } of Items)
    await database.client.send(
      new UpdateCommand({
        TableName: "aggregates",
        Key: { pk, sk },
        UpdateExpression: "ADD n :two",
        ExpressionAttributeValues: { ":two": 2 },
      }),
    );
};

test("counters that differ from their lists are repaired once nothing has changed for ten minutes", async () => {
  const { project, clock, totals, sample } = await countedLists();
  await addToCounters(runCountsPartition(project));
  await addToCounters(scoreCountsPartition("trace", project));
  const wrong = await totals();

  const first = await sample();
  clock.now += 9 * minute;
  const earlySample = await sample();
  clock.now += 2 * minute;
  const { lines, result } = await publishedLines(() => Promise.all([sample(), sample()]));
  const lateSamples = await result;

  expect([wrong, await totals()]).toEqual([
    [7, 7],
    [5, 5],
  ]);
  expect([first.doubtfulCounts, first.wrongCounts, earlySample.wrongCounts]).toEqual([2, 0, 0]);
  expect(lateSamples.reduce((sum, { wrongCounts }) => sum + wrongCounts, 0)).toBe(2);
  expect(lines.map((line) => line["list"]).toSorted()).toEqual(["runs", "trace-scores"]);
});

test("items that a later version has put beside the counters are ignored", async () => {
  const { project, totals, sample } = await countedLists();
  for (const pk of [runCountsPartition(project), scoreCountsPartition("trace", project)])
    await database.client.send(new PutCommand({ TableName: "aggregates", Item: { pk, sk: "later#1", added: true } }));

  expect(await sample()).toMatchObject({ doubtfulCounts: 0, wrongCounts: 0, cut: 0 });
  expect(await totals()).toEqual([5, 5]);
});

test("counters that changed since the first sample, and correct counters, are not repaired", async () => {
  const { project, clock, totals, sample } = await countedLists();
  await addToCounters(runCountsPartition(project));

  const first = await sample();
  await addToCounters(runCountsPartition(project));
  clock.now += 11 * minute;
  const second = await sample();

  expect([first.doubtfulCounts, second.wrongCounts]).toEqual([1, 0]);
  expect(await totals()).toEqual([9, 5]);
});

test("the pending counter checks of a deleted project are erased", async () => {
  const { project, sample } = await countedLists();
  await addToCounters(runCountsPartition(project));
  await sample();

  for await (const _ of eraseAggregates(database)(project)) continue;

  const { Items } = await database.client.send(
    new QueryCommand({
      TableName: "aggregates",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": "pending#facet-checks" },
    }),
  );
  expect(Items).toEqual([]);
});
