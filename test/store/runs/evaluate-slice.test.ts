import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sliceEvaluation, type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Price } from "../../../lib/judge/prices/price.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";
import type { Database } from "../../../lib/store/database.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { paidFrom } from "../../support/runs/paid-from.ts";
import { alone } from "../../support/runs/alone.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { isOn, watchedDatabase } from "../../support/database/watched-database.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";
import { targetsOf } from "./targets-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const hour = 3_600_000;
const scored: Verdict = { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
const away = (retryAfter: number | null = null): Verdict => ({
  kind: "deferred",
  code: "judge_unavailable",
  reason: "The provider is away.",
  retryAfter,
  metadata: {},
});

type Answer = (metric: string, trace: string) => Verdict | Promise<Verdict>;

/** US dollars that a judgement may cost at most. */
const bound = 0.0325;

const judgeOf = (answer: Answer, readiness: Judge["readiness"] = async () => ({ ready: true })): Judge => ({
  readiness,
  target: ({ trace }) => ({
    score: (metric, _deadline, purse) => paidFrom(purse, bound, () => answer(metric, trace.trace_id)),
  }),
});

interface Delivered {
  readonly judge: Judge;
  readonly at?: number;
  readonly remaining?: number;
  readonly calls?: number;
  readonly through?: Database;
  readonly price?: Price | null;
}

const deliver = async (
  run: StoredFixture,
  { judge, at = Date.now(), remaining = 175_000, calls = 20, through = database, price = null }: Delivered,
): Promise<SliceResult> => {
  const now = (): number => at;
  const runs = runStore(through, now);
  const evaluate = sliceEvaluation({
    runs,
    slices: sliceStore(through, now),
    settlement: settling(through, now),
    inTurn: alone,
    targets: targetsOf(through, judge, now),
    judge,
    spending: {
      spend: spendStore(through, now),
      priceOf: () => price,
      ceilings: { project: null, organization: null, deployment: null },
      organizationOf: async () => null,
    },
    calls,
    now,
  });
  const message = { project: run.order.projectId, run: run.order.id, slice: run.slices[0] ?? "" };
  return await evaluate(message, at + remaining);
};

const stateOf = (run: StoredFixture) => run.runs.get(run.order.projectId, run.order.id);

test("a slice is judged, committed and over, and a second delivery judges nothing", async () => {
  const run = await storedRun(database, 3, ["a", "b"]);
  let asked = 0;
  const judge = judgeOf(() => {
    asked += 1;
    return scored;
  });

  expect(await deliver(run, { judge })).toEqual({ kind: "over" });
  expect(await deliver(run, { judge })).toEqual({ kind: "over" });

  expect(asked).toBe(6);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", evaluated: 3, scored: 6 });
});

test("a target's first call runs alone, and no more calls at a time than allowed", async () => {
  const run = await storedRun(database, 4, ["a", "b", "c", "d"]);
  const [open, seen] = [new Map<string, number>(), new Set<string>()];
  let [running, most] = [0, 0];
  const violations: string[] = [];
  const judge = judgeOf(async (_, trace) => {
    const others = open.get(trace) ?? 0;
    if (!seen.has(trace) && others > 0) violations.push("a first call had company");
    open.set(trace, others + 1);
    running += 1;
    most = Math.max(most, running);
    await wait(10);
    if (!seen.has(trace) && (open.get(trace) ?? 0) > 1) violations.push("a first call got company");
    seen.add(trace);
    open.set(trace, (open.get(trace) ?? 1) - 1);
    running -= 1;
    return scored;
  });

  await deliver(run, { judge, calls: 3 });

  expect(violations).toEqual([]);
  expect(most).toBe(3);
  expect(await stateOf(run)).toMatchObject({ scored: 16 });
});

test("a provider that is away settles nothing and is asked again when it said, at the earliest", async () => {
  const run = await storedRun(database, 2, ["a"]);
  const at = Date.now();

  const result = await deliver(run, { judge: judgeOf(() => away(45_000)), at });

  expect(result).toEqual({ kind: "later", at: at + 45_000 });
  expect(await stateOf(run)).toMatchObject({ status: "RUNNING", evaluated: 0, failed: 0 });
  expect(await run.scores()).toEqual([]);
});

test("a provider that stays away is asked ever more rarely, for a day, and then all that is open fails", async () => {
  const run = await storedRun(database, 40, ["a"]);
  const start = Date.now();
  let [at, last] = [start, 0];
  let deliveries = 0;
  for (let result: SliceResult = { kind: "later", at }; "at" in result; deliveries += 1) {
    last = result.at - at;
    at = result.at;
    result = await deliver(run, { judge: judgeOf(() => away()), at, calls: 2 });
  }

  expect(last).toBe(15 * 60_000);
  expect(at - start).toBeGreaterThan(24 * hour);
  expect(at - start).toBeLessThan(25 * hour);
  expect(deliveries).toBeLessThan(120);
  expect(await stateOf(run)).toMatchObject({ status: "FAILED", failed: 40 });
  const scores = await run.scores();
  expect(new Set(scores.map(({ metadata }) => metadata["code"]))).toEqual(new Set(["judge_unavailable"]));
});

test("a provider that comes back within the day costs nothing but time", async () => {
  const run = await storedRun(database, 2, ["a"]);
  const start = Date.now();

  let result: SliceResult = { kind: "later", at: start };
  for (let delivery = 0; delivery < 20 && "at" in result; delivery += 1) {
    const judge = judgeOf(() => (delivery < 12 ? away() : scored));
    result = await deliver(run, { judge, at: result.at });
  }

  expect(result).toEqual({ kind: "over" });
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 2, failed: 0 });
});

test("what was judged is committed even when another target broke the delivery", async () => {
  const run = await storedRun(database, 4, ["a"]);
  const bad = run.targets[1];
  const judge = judgeOf((_, trace) => {
    if (trace === bad) throw new Error("The judge has a bug.");
    return scored;
  });

  await expect(deliver(run, { judge })).rejects.toThrow("bug");

  expect(await stateOf(run)).toMatchObject({ scored: 3, failed: 0, evaluated: 3 });
});

test("a pair that breaks every delivery is given up after five without progress, and the others are not", async () => {
  const run = await storedRun(database, 3, ["a"]);
  const bad = run.targets[1];
  const judge = judgeOf((_, trace) => {
    if (trace === bad) throw new Error("The judge has a bug.");
    return scored;
  });
  let at = Date.now();
  let outcome = "broken";
  let deliveries = 0;
  for (; outcome !== "over" && deliveries < 20; deliveries += 1) {
    at += 60_000;
    outcome = await deliver(run, { judge, at }).then(
      ({ kind }) => kind,
      () => "broken",
    );
  }

  expect(deliveries).toBe(7);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 2, failed: 1 });
  expect((await run.scores()).find(({ trace_id }) => trace_id === bad)?.metadata).toEqual({ code: "internal" });
});

test("a model that cannot be called here ends the run with words that help, and without a call", async () => {
  const run = await storedRun(database, 2, ["a", "b"]);
  const judge = judgeOf(
    () => {
      throw new Error("It was called.");
    },
    async () => ({ ready: false, message: "Set the key of openai." }),
  );

  expect(await deliver(run, { judge })).toEqual({ kind: "over" });

  const ended = await stateOf(run);
  expect(ended).toMatchObject({ status: "FAILED", evaluated: 2, failed: 4, missing: 0 });
  expect(ended?.errorMessage).toContain("Set the key of openai.");
  expect(await run.scores()).toEqual([]);
});

test("settings that can never be read end the run all the same", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const judge = judgeOf(
    () => scored,
    async () => {
      throw new Error("The parameters are away.");
    },
  );
  let at = Date.now();
  for (let delivery = 0; delivery < 10; delivery += 1) {
    at += 60_000;
    await deliver(run, { judge, at }).catch(() => null);
  }

  expect(await stateOf(run)).toMatchObject({ status: "FAILED", failed: 1 });
});

test("no pair is begun that could not end in time", async () => {
  const run = await storedRun(database, 2, ["a"]);
  let asked = 0;
  const judge = judgeOf(() => {
    asked += 1;
    return scored;
  });
  const at = Date.now();

  const result = await deliver(run, { judge, at, remaining: 70_000 });

  expect(asked).toBe(0);
  expect(result).toMatchObject({ kind: "later" });
});

test("a worker that finds the slice taken leaves it to the other, and has read once and written nothing", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const at = Date.now();
  await run.claim(0, at);
  const through = watchedDatabase(database);

  const result = await deliver(run, { judge: judgeOf(() => scored), at: at + 5_000, through });

  expect(result).toEqual({ kind: "duplicate" });
  expect(through.calls.map(({ operation }) => operation)).toEqual(["BatchGetItem"]);
});

test("a slice that waits for longer than five minutes keeps no message, but one that is nearly due keeps what comes", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const at = Date.now();
  const minute = 60_000;
  const judge = judgeOf(() => away(6 * minute));

  const asleep = await deliver(run, { judge, at });
  const early = await deliver(run, { judge, at: at + 30_000 });
  const nearly = await deliver(run, { judge, at: at + 2 * minute });

  expect(asleep).toEqual({ kind: "asleep", at: at + 6 * minute });
  expect(early).toEqual({ kind: "duplicate" });
  expect(nearly).toEqual({ kind: "later", at: at + 6 * minute });
});

test("a worker that lost its slice writes nothing and comes back later", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const at = Date.now();
  const judge = judgeOf(async () => {
    await run.claim(0, at + 31_000);
    return scored;
  });

  const result = await deliver(run, { judge, at });

  expect(result).toEqual({ kind: "later", at: at + 30_000 });
  expect(await run.scores()).toEqual([]);
});

test("a trace that cannot be read now is not taken for missing", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const through = faultyDatabase(database, (call) => (isOn("GetItem", "rows")(call) ? "server-error" : null));

  await expect(deliver(run, { judge: judgeOf(() => scored), through })).rejects.toThrow("injected");

  expect(await stateOf(run)).toMatchObject({ missing: 0, failed: 0 });
});

const dear = { input: 1, cached: 1, output: 1, written: 1 };
const costing = (usd: number): Verdict => ({
  ...scored,
  metadata: { attempts: 1, tokens: { prompt: 10, completion: 2, cached: 4 }, cost_usd: usd },
});

test("what judging used is summed up with the slices, once", async () => {
  const run = await storedRun(database, 3, ["a", "b"]);

  await deliver(run, { judge: judgeOf(() => costing(0.01)) });
  await deliver(run, { judge: judgeOf(() => costing(0.01)) });

  expect((await stateOf(run))?.usage).toEqual({
    calls: 6,
    promptTokens: 60,
    completionTokens: 12,
    cachedTokens: 24,
    cost: 0.06,
  });
});

test("a call that a provider put off after it was paid for counts, too", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const put: Verdict = { ...away(), metadata: costing(0.02).metadata };
  const { at } = (await deliver(run, { judge: judgeOf(() => put) })) as { at: number };

  await deliver(run, { judge: judgeOf(() => costing(0.01)), at });

  expect((await stateOf(run))?.usage).toMatchObject({ calls: 2, cost: 0.03 });
});

test("a provider that is away is what the run waits for", async () => {
  const run = await storedRun(database, 1, ["a"]);

  const result = await deliver(run, { judge: judgeOf(() => away()) });
  const waiting = (await stateOf(run))?.waitingFor;
  await deliver(run, { judge: judgeOf(() => scored), at: result.kind === "later" ? result.at : 0 });

  expect(waiting).toBe("The provider is away.");
  expect((await stateOf(run))?.waitingFor).toBeNull();
});

test("a run stops before a call that could pass its ceiling, and ends saying so", async () => {
  const run = await storedRun(database, 10, ["a"], { maxCostUsd: 0.1 });
  const judge = judgeOf(() => costing(0.03));
  let at = Date.now();
  let result: SliceResult = { kind: "later", at };
  for (let delivery = 0; delivery < 10 && result.kind === "later"; delivery += 1) {
    at = Math.max(at, result.at);
    result = await deliver(run, { judge, at, price: dear });
  }

  const ended = await stateOf(run);
  expect(result).toEqual({ kind: "over" });
  expect(ended).toMatchObject({ status: "COMPLETED", scored: 3, failed: 7, usage: { cost: 0.09 } });
  expect(ended?.errorMessage).toContain("max_cost_usd");
});

test("a model without a price cannot be used under a ceiling", async () => {
  const run = await storedRun(database, 2, ["a"], { maxCostUsd: 5 });

  await deliver(run, { judge: judgeOf(() => scored), price: null });

  const ended = await stateOf(run);
  expect(ended).toMatchObject({ status: "FAILED", failed: 2 });
  expect(ended?.errorMessage).toMatch(/price of .* is not known/);
});
