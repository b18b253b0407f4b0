import { afterAll, beforeAll, expect, test } from "vitest";
import { dispatch } from "../../../lib/evaluation/start/dispatch.ts";
import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { withoutFairShare } from "../../support/runs/without-fair-share.ts";
import { withoutCeilings } from "../../support/runs/without-ceilings.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";
import { sweepOf } from "../monitors/sweep-fixture.ts";
import { targetsOf } from "./targets-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const deliver = (run: StoredFixture, judge: Judge, slice = 0, now = Date.now) => {
  const evaluate = sliceEvaluation({
    runs: runStore(database, now),
    slices: sliceStore(database, now),
    settlement: settling(database, now),
    runInTurn: withoutFairShare,
    targets: targetsOf(database, judge, now),
    judge,
    spending: withoutCeilings(database, now),
    calls: 20,
    now,
  });
  const message = { project: run.order.projectId, run: run.order.id, slice: run.slices[slice] ?? "" };
  return evaluate(message, now() + 175_000);
};

/** A judge that records its trace and metric pairs, and the maximum number of parallel calls. */
const recordingJudge = () => {
  const judgedPairs: string[] = [];
  let [runningCalls, maxRunningCalls] = [0, 0];
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({
      score: async (metric) => {
        runningCalls += 1;
        maxRunningCalls = Math.max(maxRunningCalls, runningCalls);
        await new Promise((resolve) => void setTimeout(resolve, 2));
        judgedPairs.push(`${trace.trace_id} ${metric}`);
        runningCalls -= 1;
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
      },
    }),
  };
  return { judge, judgedPairs, maxRunningCalls: () => maxRunningCalls };
};

const metrics = Array.from({ length: 25 }, (_, index) => `metric ${index}`);

test("a sequential run is one message, and one delivery judges its slices in order, one call at a time", async () => {
  const run = await storedRun(database, 5, metrics, { sequential: true });
  const { judge, judgedPairs, maxRunningCalls } = recordingJudge();
  const messages: SliceMessage[] = [];
  const queue = {
    send: async (slices: readonly SliceMessage[]) => void messages.push(...slices),
    delayMessage: async () => undefined,
  };
  const runRecord = await run.runs.read(run.order.projectId, run.order.id);
  if (runRecord !== null) await dispatch(runRecord, { runs: run.runs, queue, turns: { enter: async () => undefined } });

  const result = await deliver(run, judge);

  expect(run.slices.length).toBe(3);
  expect(messages.map(({ slice }) => slice)).toEqual(run.slices.slice(0, 1));
  expect(result).toEqual({ kind: "over" });
  expect(maxRunningCalls()).toBe(1);
  expect(judgedPairs).toEqual(run.targets.flatMap((target) => metrics.map((metric) => `${target} ${metric}`)));
  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ status: "COMPLETED", scored: 125 });
});

test("a trace whose calls take all the time of each delivery keeps no other one from being judged", async () => {
  const run = await storedRun(database, 4, ["one"], { sequential: true });
  const clock = { at: Date.now() };
  const now = (): number => clock.at;
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({
      score: async () => {
        if (trace.trace_id !== run.targets[1]) return { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
        clock.at += 120_000;
        const reason = "The judge's provider does not answer.";
        return { kind: "deferred", code: "judge_unavailable", reason, retryAfter: null, metadata: {} };
      },
    }),
  };

  const scored: number[] = [];
  for (let delivery = 0; delivery < 3; delivery += 1) {
    await deliver(run, judge, 0, now);
    clock.at += 900_000;
    scored.push((await run.scores()).length);
  }

  expect(scored).toEqual([1, 1, 3]);
});

test("a sequential run is not evaluated while its first open slice is claimed, whichever slice a message names", async () => {
  const run = await storedRun(database, 5, metrics, { sequential: true });
  const { judge, judgedPairs } = recordingJudge();
  await run.claim(0);

  const results = [await deliver(run, judge, 0), await deliver(run, judge, 2)];

  expect(results).toEqual([{ kind: "duplicate" }, { kind: "duplicate" }]);
  expect(judgedPairs).toEqual([]);
});

test("a sequential run is sent again by the sweeper as one message", async () => {
  const run = await storedRun(database, 5, metrics, { sequential: true });
  const messages: SliceMessage[] = [];
  const queue = {
    send: async (slices: readonly SliceMessage[]) => void messages.push(...slices),
    delayMessage: async () => undefined,
  };

  await sweepOf(database, () => Date.now() + 700_000, queue);

  expect(messages.filter((message) => message.run === run.order.id).map(({ slice }) => slice)).toEqual([run.slices[0]]);
});
