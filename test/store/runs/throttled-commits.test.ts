import { afterAll, beforeAll, expect, test } from "vitest";
import { sliceEvaluation, type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Database } from "../../../lib/store/database.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Call, FaultKind } from "../../support/faults/fault-kind.ts";
import { alone } from "../../support/runs/alone.ts";
import { withoutCeilings } from "../../support/runs/without-ceilings.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";
import { targetsOf } from "./targets-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** A judge that is paid for each answer: how often each pair was asked. */
const paidJudge = () => {
  const asked = new Map<string, number>();
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({
      score: async (metric) => {
        const pair = `${trace.trace_id} ${metric}`;
        asked.set(pair, (asked.get(pair) ?? 0) + 1);
        const tokens = { prompt: 10, completion: 1, cached: 0 };
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: { attempts: 1, tokens, cost_usd: 0.01 } };
      },
    }),
  };
  return { judge, asked };
};

const deliver = async (
  run: StoredFixture,
  judge: Judge,
  through: Database,
  { now, remaining } = { now: Date.now, remaining: 168_000 },
): Promise<SliceResult> => {
  const evaluate = sliceEvaluation({
    runs: runStore(through, now),
    slices: sliceStore(through, now),
    settlement: settling(through, now),
    inTurn: alone,
    targets: targetsOf(through, judge, now),
    judge,
    spending: withoutCeilings(through, now),
    calls: 20,
    now,
  });
  const message = { project: run.order.projectId, run: run.order.id, slice: run.slices[0] ?? "" };
  return await evaluate(message, now() + remaining);
};

const sizeOf = ({ input }: Call): number => (Reflect.get(input, "TransactItems") as readonly unknown[]).length;

/** A connection whose transactions are throttled as is said, and what was asked of it. */
const throttling = (kindOf: (call: Call, made: number) => FaultKind | null) => {
  const sizes: { readonly size: number; readonly kind: FaultKind | null }[] = [];
  const own = faultyDatabase(database, (call) => {
    if (call.operation !== "TransactWriteItems") return null;
    const kind = kindOf(call, sizes.length + 1);
    sizes.push({ size: sizeOf(call), kind });
    return kind;
  });
  return { own, sizes, throttled: () => sizes.filter(({ kind }) => kind !== null) };
};

/** 48 pairs in one slice. */
const newRun = (): Promise<StoredFixture> => storedRun(database, 24, ["a", "b"]);

const stateOf = (run: StoredFixture) => run.runs.get(run.order.projectId, run.order.id);

test("commits that are throttled lose nothing that was judged, and nothing is paid twice", async () => {
  const [run, { judge, asked }] = [await newRun(), paidJudge()];
  const { own, throttled } = throttling((_, made) => (made <= 4 ? "throttled-item" : null));

  const result = await deliver(run, judge, own);

  expect(throttled()).toHaveLength(4);
  expect(result).toEqual({ kind: "over" });
  expect([asked.size, [...new Set(asked.values())]]).toEqual([48, [1]]);
  expect(await run.scores()).toHaveLength(48);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 48, usage: { calls: 48 } });
});

test("a commit that is too large for what a partition takes is made in smaller ones", async () => {
  const [run, { judge, asked }] = [await newRun(), paidJudge()];
  const { own, sizes, throttled } = throttling((call) => (sizeOf(call) > 30 ? "throttled-item" : null));

  expect(await deliver(run, judge, own)).toEqual({ kind: "over" });

  expect(throttled().length).toBeGreaterThan(0);
  expect(sizes.filter(({ kind }) => kind === null).every(({ size }) => size <= 30)).toBe(true);
  expect([asked.size, [...new Set(asked.values())]]).toEqual([48, [1]]);
  expect(await run.scores()).toHaveLength(48);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 48, usage: { calls: 48 } });
});

test("a worker gives up a commit that is throttled for good, before its time is over", async () => {
  const [run, { judge }] = [await storedRun(database, 1, ["a"]), paidJudge()];
  const { own, throttled } = throttling(() => "throttled-item");
  // Twenty times as fast as the real one.
  const begun = Date.now();
  const now = (): number => begun + 20 * (Date.now() - begun);

  await expect(deliver(run, judge, own, { now, remaining: 100_000 })).rejects.toThrow("throttled at every attempt");

  expect(throttled().length).toBeGreaterThan(8);
  expect(now()).toBeGreaterThan(begun + 100_000 - 15_000);
  expect(await run.scores()).toHaveLength(0);
});
