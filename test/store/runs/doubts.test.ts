import { afterAll, beforeAll, expect, test } from "vitest";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { storedRun, type StoredFixture } from "./run-fixture.ts";
import { sliceWorker } from "./slice-worker.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const model = "openai/judge";
const metadata = { model, attempts: 1, tokens: { prompt: 10, completion: 1, cached: 0 }, cost_usd: 0.001 };
const answer: Verdict = { kind: "scored", value: 1, reason: "Yes.", metadata };
const failure = (isDoubtful: boolean): Verdict => ({
  kind: "deferred",
  code: "judge_unavailable",
  reason: "The judge's provider does not work right now (HTTP 500).",
  retryAfter: null,
  metadata,
  ...(isDoubtful && { isDoubtful: true }),
});

/** A worker process at a clock that the test moves. */
const worker = (verdictOf: (metric: string) => Verdict) => {
  let at = Date.now();
  const now = (): number => at;
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: () => ({ score: async (metric) => verdictOf(metric) }),
  };
  const evaluate = sliceWorker(database, judge, now, { calls: 4 });
  return {
    deliver: async (run: StoredFixture, instant: number) => {
      at = instant;
      const slice = run.slices[0] ?? "";
      return await evaluate({ project: run.order.projectId, run: run.order.id, slice }, at + 175_000);
    },
  };
};

/** Delivers a run's slice to a new worker process each time, until it is over. @returns the number of deliveries. */
const deliveriesOf = async (
  run: StoredFixture,
  max: number,
  verdictOf: (metric: string) => Verdict,
): Promise<number> => {
  let at = Date.now();
  for (let delivery = 1; delivery <= max; delivery += 1) {
    const result = await worker(verdictOf).deliver(run, at);
    if (!("at" in result)) return delivery;
    at = result.at + 1;
  }
  return max;
};

const stateOf = (run: StoredFixture) => run.runs.get(run.order.projectId, run.order.id);

test("a pair whose provider fails five times while it answers about others fails, with its code and what it cost", async () => {
  const run = await storedRun(database, 1, ["fine", "broken"]);

  const deliveries = await deliveriesOf(run, 20, (metric) => (metric === "fine" ? answer : failure(true)));

  const failed = (await run.scores()).find(({ name }) => name === "broken");
  expect(deliveries).toBe(5);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 1, failed: 1, usage: { calls: 6 } });
  expect(failed).toMatchObject({ status: "FAILED", metadata: { code: "judge_unavailable" } });
});

test("a pair waits beyond five attempts if its provider answers nothing, or asks to wait", async () => {
  const away = await storedRun(database, 1, ["broken", "broken too"]);
  const busy = await storedRun(database, 1, ["fine", "busy"]);

  await deliveriesOf(away, 9, () => failure(true));
  await deliveriesOf(busy, 9, (metric) => (metric === "fine" ? answer : failure(false)));

  expect(await stateOf(away)).toMatchObject({ status: "RUNNING", scored: 0, failed: 0 });
  expect(await stateOf(busy)).toMatchObject({ status: "RUNNING", scored: 1, failed: 0 });
});

test("an answer about a pair of another run counts, if the same process had it between the attempts", async () => {
  const [broken, other] = [await storedRun(database, 1, ["broken"]), await storedRun(database, 1, ["fine"])];
  const { deliver } = worker((metric) => (metric === "fine" ? answer : failure(true)));
  let at = Date.now();
  const attempt = async (): Promise<void> => {
    const result = await deliver(broken, at);
    at = "at" in result ? result.at + 1 : at;
  };

  for (let attempts = 0; attempts < 4; attempts += 1) await attempt();
  await deliver(other, at);
  const before = await stateOf(broken);
  at += 1;
  await attempt();

  expect(before).toMatchObject({ status: "RUNNING" });
  expect(await stateOf(broken)).toMatchObject({ status: "FAILED", failed: 1 });
});
