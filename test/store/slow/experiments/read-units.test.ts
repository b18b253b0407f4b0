import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidInProject } from "../../../../lib/domain/access/identity.ts";
import { requestBudget, withRequestBudget } from "../../../../lib/async/request-budget.ts";
import { instantAt } from "../../../../lib/domain/instant.ts";
import { batchWrite } from "../../../../lib/dynamo/batches.ts";
import { compareRead } from "../../../../lib/handlers/experiments/compare.ts";
import { experimentReader } from "../../../../lib/handlers/experiments/read.ts";
import { datasetStore } from "../../../../lib/store/datasets/datasets.ts";
import { itemStore } from "../../../../lib/store/datasets/items.ts";
import { experimentStore } from "../../../../lib/store/experiments/experiments.ts";
import { newestKey, packNewest } from "../../../../lib/store/scores/newest/newest-codec.ts";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { faultyDatabase } from "../../../support/faults/faults.ts";
import { someScore } from "../../../support/scores.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const [items, now] = [1_000, instantAt(Date.now())];

/** Stores two experiments over a dataset of 1,000 items, of which each trace has a score of some metrics. */
const storeExperiments = async (metrics: readonly string[]) => {
  const project = randomUUID();
  const ids = Array.from({ length: items }, () => randomUUID());
  const dataset = { id: randomUUID(), projectId: project, itemCount: 0, approvedExperiment: null };
  const settings = { name: "d", description: null, metadata: {} };
  await datasetStore(database).create({ ...dataset, settings, createdAt: now, updatedAt: now });
  const content = { input: "x", expectedOutput: null, metadata: {}, source: null };
  await itemStore(database).put(
    project,
    dataset.id,
    ids.map((id) => ({ id, externalId: null, ...content })),
  );
  const startedAt = instantAt(Date.now());
  for (const name of ["before", "after"]) {
    const experiment = {
      id: uuidInProject(project, name),
      hasOwnId: true,
      name,
      dataset: "d",
      itemId: null,
      itemName: null,
    };
    const traces = ids.map((itemId) => ({
      traceId: randomUUID(),
      incarnation: randomUUID(),
      itemId,
      itemName: null,
      input: "Where is the order that I sent back a week ago, please?".slice(0, 60),
      startedAt,
      hasEnded: true,
      hasFailed: false,
      latencyMilliseconds: 1234,
      cost: 0.0123,
      tokens: 1234,
    }));
    await experimentStore(database).follow(
      traces.map((trace) => ({ project, experiment, trace, isRemoved: false, expiresAt: 1_900_000_000 })),
    );
    const scores = traces.flatMap(({ traceId: id, incarnation }) =>
      metrics.map((metric) => {
        const score = someScore({ project_id: project, trace_id: id, name: metric });
        const newest = packNewest(metric, { person: null, program: score, failure: null });
        return { ...newestKey({ project, target: "trace", id, incarnation }, metric), ...newest, g: randomUUID() };
      }),
    );
    await batchWrite(
      database,
      "aggregates",
      scores.map((Item) => ({ PutRequest: { Item } })),
    );
  }
  return project;
};

test.each([{ metrics: ["one"] }, { metrics: ["one", "two", "three", "four", "five", "six", "seven", "eight"] }])(
  "1,000 items are compared in at most 1,200 read units: $metrics, cost and latency",
  async ({ metrics }) => {
    const project = await storeExperiments(metrics);
    const reader = experimentReader(faultyDatabase(database, () => null));
    const budget = requestBudget();

    const compared = await withRequestBudget(budget, async () => {
      const [before, after] = [await reader.read(project, "before"), await reader.read(project, "after")];
      return await compareRead(reader, before, after, null, 0.05);
    });

    expect(compared.metrics.map(({ outcome }) => outcome.test.count)).toEqual(metrics.map(() => items));
    expect(compared.measuredPairs("cost")).toHaveLength(items);
    expect(budget.spent.readUnits).toBeGreaterThan(900);
    expect(budget.spent.readUnits).toBeLessThanOrEqual(1_200);
  },
);
