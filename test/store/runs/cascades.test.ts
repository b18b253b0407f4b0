import { randomUUID } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { judgeIdentity } from "../../../lib/domain/scores/score.ts";
import { type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import { createJudge } from "../../../lib/judge/create-judge.ts";
import { judgedMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { heldJudgementReader, heldWrites } from "../../../lib/store/runs/held-judgements.ts";
import { heldKey, heldPrefix, runPartition } from "../../../lib/store/runs/keys.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { type BillingJudge, type ScriptedReply, startBillingJudge } from "../../support/runs/billing-judge.ts";
import { type AskedQuestion, type FakeDecisions, startFakeDecisions } from "../../support/runs/fake-decisions.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { storedRun, type StoredFixture } from "./run-fixture.ts";
import { sliceWorker } from "./slice-worker.ts";

const [first, to] = ["systemone/jev", "openai/judge"];
const metrics = ["task_completion", "confidence"];
const traces = 4;
const price = { input: 1, cached: 1, written: 1, output: 0 };
const decisionPrice = { input: 0.1, cached: 0.1, written: 0.1, output: 0 };
const functionMilliseconds = 175_000;
const day = 86_400_000;

let database: TestDatabase;
let decisions: FakeDecisions;
let chat: BillingJudge;
let says: (call: number) => ScriptedReply | Promise<ScriptedReply>;
/** Milliseconds by which the workers' clock is ahead. */
let ahead = 0;

beforeAll(async () => {
  database = await startDatabase();
  decisions = await startFakeDecisions();
  chat = await startBillingJudge(price, {
    promptTokens: (text) => Math.ceil(text.length / 4),
    pictureTokens: 0,
    cached: () => 0,
    says: (call) => says(call),
  });
});
afterAll(async () => {
  await database.close();
  await decisions.close();
  await chat.close();
});

const answers = (): ScriptedReply => ({ kind: "answer", tokens: 80 });
const busy = (): ScriptedReply => ({ kind: "error", status: 503 });

beforeEach(() => {
  // All verdicts are uncertain: no statement is clear.
  decisions.script(() => ({ kind: "answers", of: () => 0.6 }));
  says = answers;
  ahead = 0;
});

const newRun = (
  maxCostUsd: number | null = null,
  count = traces,
  names = metrics,
  at_most = 1,
): Promise<StoredFixture> => {
  const when = { confidence_below: 0.9, coverage_below: null };
  const judge = { first, escalate: { to, when, at_most } };
  return storedRun(database, count, names, { maxCostUsd, resolvedModel: first, judge });
};

/** Delivers the run's slice to a worker. @param at instant of the delivery, epoch milliseconds. @param projectCeiling US dollars of the month. */
const deliver = async (
  run: StoredFixture,
  at = Date.now(),
  projectCeiling: number | null = null,
): Promise<SliceResult> => {
  const offset = at - Date.now();
  const now = (): number => Date.now() + offset + ahead;
  const prices = new Map([
    [first, decisionPrice],
    [to, price],
  ]);
  const judge = createJudge({
    metrics: judgedMetrics,
    providers: { openai: { key: "/key", baseUrl: "/chat" }, systemone: { baseUrl: "/decisions" } },
    parameter: async (name) => ({ "/key": "sk-test-0123456789abcdef", "/chat": chat.url })[name] ?? decisions.url,
    prices,
    timing: {
      now,
      random: () => 0,
      // A wait with a signal guards the deadline: it ends by the signal only.
      sleep: (_, signal) =>
        new Promise((resolve) => {
          if (signal === undefined) resolve();
          else signal.addEventListener("abort", () => resolve(), { once: true });
        }),
    },
  });
  const evaluate = sliceWorker(database, judge, now, {
    calls: 8,
    priceOf: (model) => prices.get(model) ?? null,
    projectCeiling,
  });
  const message = { project: run.order.projectId, run: run.order.id, slice: run.slices[0] ?? "" };
  return await evaluate(message, at + functionMilliseconds);
};

/**
 * Delivers the slice again, a minute later and an hour before the end of the day that judges may be away. Far apart, since deliveries
 * take their time: an earlier one would find the slice asleep, a later one the day over.
 */
const deliverTwiceWithinADay = async (run: StoredFixture): Promise<void> => {
  for (const later of [60_000, day - 3_600_000]) await deliver(run, Date.now() + later);
};

const stateOf = (run: StoredFixture) => run.runs.get(run.order.projectId, run.order.id);

const costOf = (scores: Awaited<ReturnType<StoredFixture["scores"]>>): number =>
  scores.reduce((sum, { metadata }) => sum + Number(metadata["charged_usd"] ?? metadata["cost_usd"]), 0);

const heldItems = (run: StoredFixture) =>
  itemsOf(database, "runs").list({ pk: runPartition(run.order.projectId, run.order.id), prefix: heldPrefix });

test("a second judge that is busy leaves first verdicts stored: they are paid once, however often the slice is delivered", async () => {
  const run = await newRun();
  const chatBefore = chat.billed();
  says = busy;
  let at = Date.now();
  for (let delivery = 0; delivery < 4; delivery += 1) {
    const result = await deliver(run, at);
    at = "at" in result ? result.at + 1 : Number.NaN;
  }
  const waiting = await stateOf(run);
  const stored = await heldItems(run);
  says = answers;

  await deliver(run, at);

  const [state, scores] = [await stateOf(run), await run.scores()];
  expect(decisions.calls).toHaveLength(traces);
  expect(waiting).toMatchObject({
    status: "RUNNING",
    scored: 0,
    failed: 0,
    waitingFor: expect.stringContaining("503"),
  });
  expect(waiting?.usage.cost).toBeCloseTo(decisions.billed(), 8);
  expect(stored).toHaveLength(traces);
  expect(await heldItems(run)).toEqual([]);
  expect(state).toMatchObject({ status: "COMPLETED", scored: 8, failed: 0, usage: { escalated: 8 } });
  expect(scores.map(({ metadata }) => [metadata["model"], Object(metadata["first_verdict"]).model])).toEqual(
    Array.from({ length: 8 }, () => [to, first]),
  );
  const billed = decisions.billed() + chat.billed() - chatBefore;
  expect(state?.usage.cost).toBeCloseTo(billed, 8);
  expect(costOf(scores)).toBeCloseTo(billed, 8);
  const parts = state?.usage.metricCosts ?? [];
  expect(parts.reduce((sum: number, part) => sum + (part ?? 0), 0)).toBeCloseTo(billed, 8);
});

test("more first verdicts than one commit can remove are all removed, and commits leave room for their removal", async () => {
  const run = await newRun(null, 48, ["confidence"]);
  await deliver(run);

  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 48, usage: { escalated: 48 } });
  expect(await heldItems(run)).toEqual([]);
});

test("the second judge is asked about its share of all pairs that have a verdict, over all deliveries", async () => {
  const run = await newRun(null, 4, metrics, 0.25);
  const of = ({ name }: AskedQuestion): number => (name.startsWith("c1_") ? 0.99 : 0.6);
  decisions.script((call) => (call < 2 ? { kind: "answers", of } : { kind: "error", status: 503 }));
  const result = await deliver(run);
  const early = await stateOf(run);
  decisions.script(() => ({ kind: "answers", of }));
  await deliver(run, "at" in result ? result.at + 1 : Number.NaN);

  expect(early).toMatchObject({ scored: 4, usage: { escalated: 1 } });
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 8, usage: { escalated: 2 } });
});

test("the first judge begins nothing in the second half of a delivery's time, which is the second one's", async () => {
  const run = await newRun(null, 25);
  decisions.script((call) => {
    if (call === 7) ahead = functionMilliseconds / 2;
    return { kind: "answers", of: () => 0.6 };
  });
  await deliver(run);

  expect(await stateOf(run)).toMatchObject({ status: "RUNNING" });
  expect(decisions.calls.length).toBeLessThan(25);
});

test("a pair that the second judge has no time for after its first answer waits for a delivery, not for the judge", async () => {
  const run = await newRun(null, 1);
  let callCount = 0;
  says = () => {
    callCount += 1;
    ahead = 170_000;
    return answers();
  };
  await deliver(run);

  expect(callCount).toBe(1);
  expect(await stateOf(run)).toMatchObject({ status: "RUNNING", scored: 1, waitingFor: null });
});

test("first verdicts that the second judge has no time for wait for the next delivery", async () => {
  const run = await newRun();
  decisions.script(() => {
    ahead = 100_000;
    return { kind: "answers", of: () => 0.6 };
  });
  await deliver(run);

  expect(await stateOf(run)).toMatchObject({ status: "RUNNING", scored: 0 });
  expect(await heldItems(run)).not.toEqual([]);
});

test.each([
  ["judged again", true, { scored: 8, failed: 0 }],
  ["failed when its judges are away for a day", false, { scored: 6, failed: 2 }],
])("a trace that was sent again after its first verdicts is %s", async (_, isThere, counts) => {
  const run = await newRun();
  let isAway = false;
  decisions.script(() => (isAway ? { kind: "error", status: 503 } : { kind: "answers", of: () => 0.6 }));
  says = busy;
  await deliver(run);
  if (!isThere) await deliverTwiceWithinADay(run);
  const [trace = ""] = run.targets;
  await deleteTrace(database, run.order.projectId, trace);
  await traceStore(database, 0).save(run.order.projectId, someTrace({ trace_id: trace }));
  isAway = !isThere;
  if (isThere) says = answers;
  await deliver(run, Date.now() + day + 3_600_000);

  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", ...counts });
  expect(decisions.calls.length).toBeGreaterThan(traces);
});

test("first verdicts are stored as they are, with a custom metric's category, and those of another build are left out", async () => {
  const slice = { projectId: randomUUID(), runId: randomUUID(), id: "a#0000" };
  const judge = judgeIdentity(`${first}-2026-03-17`, "0123456789ab");
  const grounds = { judge, inapplicable: null, evidence: null, traceVersion: 3, category: "refund" };
  const judgement = { value: 0.5, reason: "Half.", metadata: { model: first }, grounds };
  const heldVerdicts = [{ pair: 4, confidence: 0.6, incarnation: "i", judgement }];
  await itemsOf(database, "runs").transact(heldWrites(slice, heldVerdicts, Date.now()).writes);

  const ofAnotherBuild = { ...heldKey(slice.projectId, slice.runId, slice.id, 5), d: deflateRawSync('[{"pair":5}]') };
  await itemsOf(database, "runs").put(ofAnotherBuild);

  const { judgements, items } = await heldJudgementReader(database)(slice);
  expect([[...judgements.values()], items]).toEqual([heldVerdicts, [[4]]]);
});

test("a worker that dies while it asks the second judge leaves the first verdicts to the worker that takes the slice", async () => {
  const run = await newRun();
  const { promise: isAsked, resolve: setAsked } = Promise.withResolvers<void>();
  const { promise: death, resolve: endDeath } = Promise.withResolvers<ScriptedReply>();
  says = () => {
    setAsked();
    return death;
  };
  const dead = deliver(run);
  await isAsked;
  says = answers;

  // The lease of the first worker has ended.
  await deliver(run, Date.now() + 40_000);
  const [state, callsOfBoth] = [await stateOf(run), decisions.calls.length];
  endDeath({ kind: "error", status: 400 });
  await dead;

  expect(callsOfBoth).toBe(traces);
  expect(state).toMatchObject({ status: "COMPLETED", scored: 8, failed: 0 });
  expect(await stateOf(run)).toEqual(state);
});

test("after a day without the second judge the first verdicts count, marked as failed", async () => {
  const run = await newRun();
  says = busy;
  await deliver(run);
  // Nothing is settled from here on.
  await deliverTwiceWithinADay(run);
  const early = await stateOf(run);
  await deliver(run, Date.now() + day + 3_600_000);

  const [state, scores] = [await stateOf(run), await run.scores()];
  expect(early).toMatchObject({ status: "RUNNING", scored: 0 });
  expect(decisions.calls).toHaveLength(traces);
  expect(state).toMatchObject({ status: "COMPLETED", scored: 8, failed: 0 });
  expect(scores.map(({ status, metadata }) => [status, metadata["model"], metadata["escalation"]])).toEqual(
    Array.from({ length: 8 }, () => ["SUCCESS", first, "failed"]),
  );
});

test("a second judge that fails for good leaves the first verdict, with the reason and the expense of both", async () => {
  const run = await newRun();
  const chatBefore = chat.billed();
  says = () => ({ kind: "answer", tokens: 20, text: "No JSON." });

  await deliver(run);

  const [state, scores] = [await stateOf(run), await run.scores()];
  expect(state).toMatchObject({ status: "COMPLETED", scored: 8, failed: 0, usage: { escalated: 8 } });
  for (const { metadata } of scores)
    expect(metadata).toMatchObject({ model: first, escalation: "failed", escalation_code: "judge_malformed" });
  expect(costOf(scores)).toBeCloseTo(decisions.billed() + chat.billed() - chatBefore, 8);
});

test.each(["run", "project"])(
  "what the ceiling of a %s leaves no money for keeps its first verdict, marked as unfunded",
  async (kind) => {
    const rich = await newRun(1);
    await deliver(rich);
    const firstCosts = decisions.billed();
    decisions.script(() => ({ kind: "answers", of: () => 0.6 }));
    const chatBefore = chat.billed();
    // Room for the first verdicts, whose reservations count a token per byte, but for no call of the second judge.
    const ceiling = 8 * firstCosts;
    const run = await newRun(kind === "run" ? ceiling : null);

    await deliver(run, Date.now(), kind === "project" ? ceiling : null);

    const [state, scores] = [await stateOf(run), await run.scores()];
    expect(state).toMatchObject({ status: "COMPLETED", scored: 8, failed: 0 });
    expect(state?.usage.escalated ?? 0).toBe(0);
    expect(scores.map(({ metadata }) => [metadata["model"], metadata["escalation"]])).toEqual(
      Array.from({ length: 8 }, () => [first, "unfunded"]),
    );
    expect(chat.billed()).toBe(chatBefore);
    expect(decisions.billed()).toBeLessThanOrEqual(ceiling);
  },
);

test("held verdicts of a deleted run are erased with its slices", async () => {
  const run = await newRun();
  says = busy;
  await deliver(run);
  const before = await heldItems(run);
  const storedRunItem = await run.runs.read(run.order.projectId, run.order.id);
  const deletion = runDeletion(database, run.runs);
  await deletion.remove(storedRunItem!, true);

  await deletion.leaveTombstone((await deletion.find(run.order.projectId, run.order.id))!);

  expect([before.length, await heldItems(run)]).toEqual([traces, []]);
});
