import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { definitionOf } from "../../../lib/domain/metrics/custom/define.ts";
import type { SentMetric } from "../../../lib/domain/metrics/custom/definition.ts";
import { eraseCustomMetrics } from "../../../lib/store/metrics/erase.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const sent: SentMetric = {
  target_type: "TRACE",
  kind: "judge",
  description: "Evaluates something.",
  instructions: "Look closely.",
  scale: [],
  statements: [],
  evidence: ["transcript"],
  threshold: 0.5,
  examples: [],
};

const ground = () => {
  const projectId = randomUUID();
  const metrics = customMetricStore(database, () => instantAt(Date.parse("2026-11-22T12:00:00Z")));
  const make = (name: string, most = 3) =>
    metrics.create({ id: randomUUID(), projectId, name, sent, definition: definitionOf(sent) }, most);
  const outcomes = async (tasks: readonly Promise<unknown>[]): Promise<readonly string[]> => {
    const made = await Promise.allSettled(tasks);
    return made.map((each) => (each.status === "fulfilled" ? "made" : String(each.reason.reason.kind))).toSorted();
  };
  return { projectId, metrics, make, outcomes };
};

test("of metrics that are made at once a project gets as many as it may have, and one of each name", async () => {
  const { metrics, projectId, make, outcomes } = ground();

  expect(await outcomes(["a", "a", "a"].map((name) => make(name)))).toEqual(["conflict", "conflict", "made"]);
  expect(await outcomes(["b", "c", "d", "e"].map((name) => make(name)))).toEqual([
    "forbidden",
    "forbidden",
    "made",
    "made",
  ]);
  await metrics.delete(projectId, "a");
  expect(await outcomes([make("f"), make("a")])).toEqual(["forbidden", "made"]);
});

test("changes that are made at once are versions of their own, each on top of the one before", async () => {
  const { metrics, projectId, make } = ground();
  await make("a");
  await Promise.all(
    [1, 2, 3, 4].map((number) =>
      metrics.change(projectId, "a", ({ sent: before }) => {
        const next = { ...before, instructions: `${before.instructions} ${number}` };
        return { sent: next, definition: definitionOf(next) };
      }),
    ),
  );
  const words = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => metrics.version(projectId, "a", number)));

  expect(words.map((version) => version?.sent.instructions.split(" ").length)).toEqual([2, 3, 4, 5, 6, undefined]);
  expect((await metrics.get(projectId, "a"))?.versions).toHaveLength(5);
});

test("nothing of a project's metrics is left when they are erased, and none of another project is touched", async () => {
  const [gone, stays] = [ground(), ground()];
  for (const { make } of [gone, stays]) await make("a");
  let removed = 0;
  for await (const count of eraseCustomMetrics(database)(gone.projectId)) removed += Number(count);

  expect(removed).toBe(3);
  expect(await gone.metrics.get(gone.projectId, "a")).toBeNull();
  expect(await gone.metrics.version(gone.projectId, "a", 1)).toBeNull();
  expect(await stays.metrics.get(stays.projectId, "a")).not.toBeNull();
});
