import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createExperimentRun } from "../../../lib/contract/experiments/experiment-runs.ts";
import { evaluateGate } from "../../../lib/contract/experiments/gates.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { experimentStore } from "../../../lib/store/experiments/experiments.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { calledFunctions, type CalledFunctions } from "../../support/loads/called-functions.ts";

let database: TestDatabase;
let functions: CalledFunctions;
beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  database = await startDatabase();
  functions = await calledFunctions(database);
});
afterAll(async () => {
  vi.restoreAllMocks();
  functions.close();
  await database.close();
});

const startedAt = "2026-11-21T09:00:00+00:00";

/** Stores an experiment with a trace of each id. */
const storeExperiment = async (ids: readonly string[], hasEnded: boolean): Promise<string> => {
  const id = randomUUID();
  const experiment = { id, hasOwnId: true, name: id, dataset: null, itemId: null, itemName: null };
  const fields = { incarnation: "x", itemName: null, input: null, hasEnded, hasFailed: false };
  const figures = { latencyMilliseconds: hasEnded ? 1 : null, cost: 0, tokens: 0 };
  await experimentStore(database).follow(
    ids.map((traceId) => ({
      project: functions.projectId,
      experiment,
      isRemoved: false,
      expiresAt: undefined,
      trace: {
        traceId,
        itemId: traceId,
        ...fields,
        ...figures,
        startedAt: hasEnded ? startedAt : instantAt(Date.now()),
      },
    })),
  );
  return id;
};

const uuids = (count: number): readonly string[] => Array.from({ length: count }, () => randomUUID());

test("a gate waits while a run that has not ended judges its metric, and for no other run", async () => {
  const ids = uuids(3);
  const traces = ids.map((trace_id) => ({ trace_id, name: "x", started_at: startedAt, ended_at: startedAt }));
  await functions.answer(createTraces, { body: { traces } });
  const candidate = await storeExperiment(ids, true);
  const gateOf = (metric: string) =>
    functions.answer(evaluateGate, { body: { candidate, rules: [{ metric, min_mean: 0.5 }] } });
  const statusOf = async (metric: string) => (await gateOf(metric))["status"];

  const before = await statusOf("task_completion");
  // No worker judges here, so that the run stays open.
  const { id: run } = await functions.answer(createExperimentRun, {
    params: { experiment_id: candidate },
    body: { metrics: ["task_completion"] },
  });

  expect(before).toBe("cannot_tell");
  expect(await gateOf("task_completion")).toMatchObject({
    status: "running",
    awaited: { trace_ids: [], run_ids: [run] },
  });
  expect(await statusOf("polite")).toBe("cannot_tell");

  const order = { projectId: functions.projectId, metrics: ["polite"], createdAt: "2126-11-21T09:00:00+00:00" };
  for (const id of uuids(50)) await runCreation(database)(someOrder({ ...order, id }), []);

  expect(await statusOf("task_completion")).toBe("running");
});

test("a gate that waits reads at most 15,000 traces: of large experiments it answers after one look", async () => {
  const candidate = await storeExperiment(uuids(4_000), false);
  const begin = performance.now();

  const { status } = await functions.answer(evaluateGate, {
    body: { candidate, baseline: candidate, rules: [{ max_latency_increase: 0.1 }], wait: 25 },
  });

  expect(status).toBe("running");
  expect(performance.now() - begin).toBeLessThan(18_000);
});
