import { afterAll, beforeAll, expect, test } from "vitest";
import { dispatch } from "../../../lib/evaluation/start/dispatch.ts";
import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { alone } from "../../support/runs/alone.ts";
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
    inTurn: alone,
    targets: targetsOf(database, judge, now),
    judge,
    spending: withoutCeilings(database, now),
    calls: 20,
    now,
  });
  const message = { project: run.order.projectId, run: run.order.id, slice: run.slices[slice] ?? "" };
  return evaluate(message, now() + 175_000);
};

/** A judge that notes who asked for what, and how many ask at a time. */
const watchful = () => {
  const asked: string[] = [];
  let [running, most] = [0, 0];
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({
      score: async (metric) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => void setTimeout(resolve, 2));
        asked.push(`${trace.trace_id} ${metric}`);
        running -= 1;
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
      },
    }),
  };
  return { judge, asked, most: () => most };
};

const metrics = Array.from({ length: 25 }, (_, index) => `metric ${index}`);

test("is one message, and one delivery goes through its slices in order, one judgement at a time", async () => {
  const run = await storedRun(database, 5, metrics, { sequential: true });
  const { judge, asked, most } = watchful();
  const sent: SliceMessage[] = [];
  const queue = {
    send: async (slices: readonly SliceMessage[]) => void sent.push(...slices),
    showAgain: async () => undefined,
  };
  const stored = await run.runs.read(run.order.projectId, run.order.id);
  if (stored !== null) await dispatch(stored, run.runs, queue);

  const result = await deliver(run, judge);

  expect(run.slices.length).toBe(3);
  expect(sent.map(({ slice }) => slice)).toEqual(run.slices.slice(0, 1));
  expect(result).toEqual({ kind: "over" });
  expect(most()).toBe(1);
  expect(asked).toEqual(run.targets.flatMap((target) => metrics.map((metric) => `${target} ${metric}`)));
  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ status: "COMPLETED", scored: 125 });
});

test("is left alone while somebody holds its first open slice, whichever slice a message names", async () => {
  const run = await storedRun(database, 5, metrics, { sequential: true });
  const { judge, asked } = watchful();
  await run.claim(0);

  const results = [await deliver(run, judge, 0), await deliver(run, judge, 2)];

  expect(results).toEqual([{ kind: "duplicate" }, { kind: "duplicate" }]);
  expect(asked).toEqual([]);
});

test("is sent again by the sweeper as one message", async () => {
  const run = await storedRun(database, 5, metrics, { sequential: true });
  const sent: SliceMessage[] = [];
  const queue = {
    send: async (slices: readonly SliceMessage[]) => void sent.push(...slices),
    showAgain: async () => undefined,
  };

  await sweepOf(database, () => Date.now() + 700_000, queue);

  expect(sent.filter((message) => message.run === run.order.id).map(({ slice }) => slice)).toEqual([run.slices[0]]);
});
