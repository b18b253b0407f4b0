import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { definitionOf } from "../../../lib/domain/metrics/custom/definition-of.ts";
import type { CustomMetricInput } from "../../../lib/domain/metrics/custom/definition.ts";
import { eraseCustomMetrics } from "../../../lib/store/metrics/erase.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const metricInput: CustomMetricInput = {
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

const setUp = () => {
  const projectId = randomUUID();
  const metrics = customMetricStore(database, () => instantAt(Date.parse("2026-11-22T12:00:00Z")));
  const make = (name: string, maxMetrics = 3) =>
    metrics.create(
      { id: randomUUID(), projectId, name, sent: metricInput, definition: definitionOf(metricInput) },
      maxMetrics,
    );
  const outcomes = async (tasks: readonly Promise<unknown>[]): Promise<readonly string[]> => {
    const results = await Promise.allSettled(tasks);
    return results.map((each) => (each.status === "fulfilled" ? "made" : String(each.reason.reason.kind))).toSorted();
  };
  return { projectId, metrics, make, outcomes };
};

test("concurrent creations never exceed the project's limit of custom metrics, and create each name once", async () => {
  const { metrics, projectId, make, outcomes } = setUp();

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

test("concurrent changes create one version each, every one based on its predecessor", async () => {
  const { metrics, projectId, make } = setUp();
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

test("erasing the custom metrics of a project removes all of its items and none of another project", async () => {
  const [erasedProject, otherProject] = [setUp(), setUp()];
  for (const { make } of [erasedProject, otherProject]) await make("a");
  let removed = 0;
  for await (const count of eraseCustomMetrics(database)(erasedProject.projectId)) removed += Number(count);

  expect(removed).toBe(3);
  expect(await erasedProject.metrics.get(erasedProject.projectId, "a")).toBeNull();
  expect(await erasedProject.metrics.version(erasedProject.projectId, "a", 1)).toBeNull();
  expect(await otherProject.metrics.get(otherProject.projectId, "a")).not.toBeNull();
});
