import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectFields } from "../../../lib/domain/access/fields.ts";
import { defaultsOf } from "../../../lib/domain/fields.ts";
import { sliceEvaluation, type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Price } from "../../../lib/prices/price.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { organizationOfLivingProject } from "../../../lib/store/access/existing-projects.ts";
import { accessItems } from "../../../lib/store/access/items.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { projectItems } from "../../../lib/store/access/project-writes.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { paidVerdict } from "../../support/runs/paid-verdict.ts";
import { withoutFairShare } from "../../support/runs/without-fair-share.ts";
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
const unavailable = (retryAfter: number | null = null): Verdict => ({
  kind: "deferred",
  code: "judge_unavailable",
  reason: "The provider is away.",
  retryAfter,
  metadata: {},
});

type Answer = (metric: string, trace: string) => Verdict | Promise<Verdict>;

/** Maximum cost of one judge call, US dollars. */
const maxCostPerCall = 0.0325;

const judgeOf = (answer: Answer, readiness: Judge["readiness"] = async () => ({ ready: true })): Judge => ({
  readiness,
  target: ({ trace }) => ({
    score: (metric, _deadline, budget) => paidVerdict(budget, maxCostPerCall, () => answer(metric, trace.trace_id)),
  }),
});

interface DeliveryOptions {
  readonly judge: Judge;
  readonly at?: number;
  readonly remaining?: number;
  readonly calls?: number;
  readonly through?: Database;
  readonly price?: Price | null;
  readonly projectExists?: (project: string) => Promise<boolean>;
}

const deliver = async (
  run: StoredFixture,
  {
    judge,
    at = Date.now(),
    remaining = 175_000,
    calls = 20,
    through = database,
    price = null,
    projectExists = async () => true,
  }: DeliveryOptions,
): Promise<SliceResult> => {
  const now = (): number => at;
  const runs = runStore(through, now);
  const evaluate = sliceEvaluation({
    runs,
    slices: sliceStore(through, now),
    projectExists,
    settlement: settling(through, now),
    runInTurn: withoutFairShare,
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
  let callCount = 0;
  const judge = judgeOf(() => {
    callCount += 1;
    return scored;
  });

  expect(await deliver(run, { judge })).toEqual({ kind: "over" });
  expect(await deliver(run, { judge })).toEqual({ kind: "over" });

  expect(callCount).toBe(6);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", evaluated: 3, scored: 6 });
});

test("nothing of a deleted project is judged, although its run is still open", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const organizationId = await accessStore(database, 1_000).createOrganization("Acme");
  const project = { id: run.order.projectId, organizationId, name: "p", metadata_keys: [] };
  await accessItems(database).write(projectItems({ ...defaultsOf(projectFields), ...project, createdAt: "" }));
  const organizationOf = organizationOfLivingProject(database);
  const projectExists = async (id: string): Promise<boolean> => (await organizationOf(id)) !== null;
  const existed = await projectExists(project.id);
  let callCount = 0;
  const judge = judgeOf(() => {
    callCount += 1;
    return scored;
  });
  await deletionRequests(database).ofProject(project, randomUUID(), false);

  expect(await deliver(run, { judge, projectExists })).toEqual({ kind: "over" });

  expect([existed, callCount]).toEqual([true, 0]);
  expect(await stateOf(run)).toMatchObject({ status: "PENDING", evaluated: 0 });
});

test("a target's first judge call runs alone, and parallel calls never exceed the limit", async () => {
  const run = await storedRun(database, 4, ["a", "b", "c", "d"]);
  const [openCalls, warmTraces] = [new Map<string, number>(), new Set<string>()];
  let [runningCalls, maxRunningCalls] = [0, 0];
  const violations: string[] = [];
  const judge = judgeOf(async (_, trace) => {
    const othersOfTrace = openCalls.get(trace) ?? 0;
    if (!warmTraces.has(trace) && othersOfTrace > 0) violations.push("a first call had company");
    openCalls.set(trace, othersOfTrace + 1);
    runningCalls += 1;
    maxRunningCalls = Math.max(maxRunningCalls, runningCalls);
    await wait(10);
    if (!warmTraces.has(trace) && (openCalls.get(trace) ?? 0) > 1) violations.push("a first call got company");
    warmTraces.add(trace);
    openCalls.set(trace, (openCalls.get(trace) ?? 1) - 1);
    runningCalls -= 1;
    return scored;
  });

  await deliver(run, { judge, calls: 3 });

  expect(violations).toEqual([]);
  expect(maxRunningCalls).toBe(3);
  expect(await stateOf(run)).toMatchObject({ scored: 16 });
});

test("an unavailable provider settles no pair and is called again after its Retry-After at the earliest", async () => {
  const run = await storedRun(database, 2, ["a"]);
  const at = Date.now();

  const result = await deliver(run, { judge: judgeOf(() => unavailable(45_000)), at });

  expect(result).toEqual({ kind: "later", at: at + 45_000 });
  expect(await stateOf(run)).toMatchObject({ status: "RUNNING", evaluated: 0, failed: 0 });
  expect(await run.scores()).toEqual([]);
});

test("a provider that stays unavailable is called at growing intervals for a day, then all open pairs fail", async () => {
  const run = await storedRun(database, 40, ["a"]);
  const start = Date.now();
  let [at, lastDelay] = [start, 0];
  let deliveries = 0;
  for (let result: SliceResult = { kind: "later", at }; "at" in result; deliveries += 1) {
    lastDelay = result.at - at;
    at = result.at;
    result = await deliver(run, { judge: judgeOf(() => unavailable()), at, calls: 2 });
  }

  expect(lastDelay).toBe(15 * 60_000);
  expect(at - start).toBeGreaterThan(24 * hour);
  expect(at - start).toBeLessThan(25 * hour);
  expect(deliveries).toBeLessThan(120);
  expect(await stateOf(run)).toMatchObject({ status: "FAILED", failed: 40 });
  const scores = await run.scores();
  expect(new Set(scores.map(({ metadata }) => metadata["code"]))).toEqual(new Set(["judge_unavailable"]));
});

test("a provider outage of less than a day fails no pair", async () => {
  const run = await storedRun(database, 2, ["a"]);
  const start = Date.now();

  let result: SliceResult = { kind: "later", at: start };
  for (let delivery = 0; delivery < 20 && "at" in result; delivery += 1) {
    const judge = judgeOf(() => (delivery < 12 ? unavailable() : scored));
    result = await deliver(run, { judge, at: result.at });
  }

  expect(result).toEqual({ kind: "over" });
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 2, failed: 0 });
});

test("judged pairs are committed even if another target breaks the delivery", async () => {
  const run = await storedRun(database, 4, ["a"]);
  const failingTrace = run.targets[1];
  const judge = judgeOf((_, trace) => {
    if (trace === failingTrace) throw new Error("The judge has a bug.");
    return scored;
  });

  await expect(deliver(run, { judge })).rejects.toThrow("bug");

  expect(await stateOf(run)).toMatchObject({ scored: 3, failed: 0, evaluated: 3 });
});

test("a pair that breaks every delivery fails after five deliveries without progress, other pairs do not", async () => {
  const run = await storedRun(database, 3, ["a"]);
  const failingTrace = run.targets[1];
  const judge = judgeOf((_, trace) => {
    if (trace === failingTrace) throw new Error("The judge has a bug.");
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
  expect((await run.scores()).find(({ trace_id }) => trace_id === failingTrace)?.metadata).toEqual({
    code: "internal",
  });
});

test("a model that is not configured fails the run with a helpful message and without a judge call", async () => {
  const run = await storedRun(database, 2, ["a", "b"]);
  const judge = judgeOf(
    () => {
      throw new Error("It was called.");
    },
    async () => ({ ready: false, message: "Set the key of openai." }),
  );

  expect(await deliver(run, { judge })).toEqual({ kind: "over" });

  const endedRun = await stateOf(run);
  expect(endedRun).toMatchObject({ status: "FAILED", evaluated: 2, failed: 4, missing: 0 });
  expect(endedRun?.errorMessage).toContain("Set the key of openai.");
  expect(await run.scores()).toEqual([]);
});

test("settings that can never be read fail the run in the end", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const judge = judgeOf(
    () => scored,
    async () => {
      throw new Error("The parameter store is unavailable.");
    },
  );
  let at = Date.now();
  for (let delivery = 0; delivery < 10; delivery += 1) {
    at += 60_000;
    await deliver(run, { judge, at }).catch(() => null);
  }

  expect(await stateOf(run)).toMatchObject({ status: "FAILED", failed: 1 });
});

test("no pair is started that could not finish before the deadline", async () => {
  const run = await storedRun(database, 2, ["a"]);
  let callCount = 0;
  const judge = judgeOf(() => {
    callCount += 1;
    return scored;
  });
  const at = Date.now();

  const result = await deliver(run, { judge, at, remaining: 70_000 });

  expect(callCount).toBe(0);
  expect(result).toMatchObject({ kind: "later" });
});

test("a worker that finds the slice claimed leaves it to its holder after a single read", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const at = Date.now();
  await run.claim(0, at);
  const through = watchedDatabase(database);

  const result = await deliver(run, { judge: judgeOf(() => scored), at: at + 5_000, through });

  expect(result).toEqual({ kind: "duplicate" });
  expect(through.calls.map(({ operation }) => operation)).toEqual(["BatchGetItem"]);
});

test("a slice that waits longer than five minutes keeps no message, a message close to its instant is kept", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const at = Date.now();
  const minute = 60_000;
  const judge = judgeOf(() => unavailable(6 * minute));

  const firstResult = await deliver(run, { judge, at });
  const earlyResult = await deliver(run, { judge, at: at + 30_000 });
  const resultNearInstant = await deliver(run, { judge, at: at + 2 * minute });

  expect(firstResult).toEqual({ kind: "asleep", at: at + 6 * minute });
  expect(earlyResult).toEqual({ kind: "duplicate" });
  expect(resultNearInstant).toEqual({ kind: "later", at: at + 6 * minute });
});

test("a worker that lost its slice writes nothing and asks for a later delivery", async () => {
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

test("a trace that cannot be read at the moment is not counted as missing", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const through = faultyDatabase(database, (call) => (isOn("GetItem", "rows")(call) ? "server-error" : null));

  await expect(deliver(run, { judge: judgeOf(() => scored), through })).rejects.toThrow("injected");

  expect(await stateOf(run)).toMatchObject({ missing: 0, failed: 0 });
});

const tokenPrice = { input: 1, cached: 1, output: 1, written: 1 };
const costing = (usd: number): Verdict => ({
  ...scored,
  metadata: { attempts: 1, tokens: { prompt: 10, completion: 2, cached: 4 }, cost_usd: usd },
});

test("the token usage and cost of judging are summed up with the slices, once", async () => {
  const run = await storedRun(database, 3, ["a", "b"]);

  await deliver(run, { judge: judgeOf(() => costing(0.01)) });
  await deliver(run, { judge: judgeOf(() => costing(0.01)) });

  expect((await stateOf(run))?.usage).toMatchObject({
    calls: 6,
    promptTokens: 60,
    completionTokens: 12,
    cachedTokens: 24,
    cost: 0.06,
    metricCosts: [0.03, 0.03],
  });
});

test.each([
  ["by the provider", {}],
  ["for lack of money", { unfunded: true }],
] as const)("the cost of a call that was postponed %s is included", async (_, cause) => {
  const run = await storedRun(database, 1, ["a"]);
  const postponed: Verdict = { ...unavailable(), metadata: costing(0.02).metadata, ...cause };
  const { at } = (await deliver(run, { judge: judgeOf(() => postponed) })) as { at: number };

  await deliver(run, { judge: judgeOf(() => costing(0.01)), at });

  expect((await stateOf(run))?.usage).toMatchObject({ calls: 2, cost: 0.03 });
});

test("an unavailable provider is reported as the reason why a run waits", async () => {
  const run = await storedRun(database, 1, ["a"]);

  const result = await deliver(run, { judge: judgeOf(() => unavailable()) });
  const waitingFor = (await stateOf(run))?.waitingFor;
  await deliver(run, { judge: judgeOf(() => scored), at: result.kind === "later" ? result.at : 0 });

  expect(waitingFor).toBe("The provider is away.");
  expect((await stateOf(run))?.waitingFor).toBeNull();
});

test("a run stops before a call that could exceed its cost limit, and reports the limit", async () => {
  const run = await storedRun(database, 10, ["a"], { maxCostUsd: 0.1 });
  const judge = judgeOf(() => costing(0.03));
  let at = Date.now();
  let result: SliceResult = { kind: "later", at };
  for (let delivery = 0; delivery < 10 && result.kind === "later"; delivery += 1) {
    at = Math.max(at, result.at);
    result = await deliver(run, { judge, at, price: tokenPrice });
  }

  const endedRun = await stateOf(run);
  expect(result).toEqual({ kind: "over" });
  expect(endedRun).toMatchObject({ status: "COMPLETED", scored: 3, failed: 7, usage: { cost: 0.09 } });
  expect(endedRun?.errorMessage).toContain("max_cost_usd");
});

test("a model without a known price cannot be used with a cost limit", async () => {
  const run = await storedRun(database, 2, ["a"], { maxCostUsd: 5 });

  await deliver(run, { judge: judgeOf(() => scored), price: null });

  const endedRun = await stateOf(run);
  expect(endedRun).toMatchObject({ status: "FAILED", failed: 2 });
  expect(endedRun?.errorMessage).toMatch(/price of .* is not known/);
});
