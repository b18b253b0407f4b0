import { afterAll, beforeAll, expect, test } from "vitest";
import { sliceEvaluation, type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Call, FaultKind } from "../../support/faults/fault-kind.ts";
import { withoutFairShare } from "../../support/runs/without-fair-share.ts";
import { withoutCeilings } from "../../support/runs/without-ceilings.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";
import { targetsOf } from "./targets-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** A judge that charges for each call, and its number of calls per pair. */
const paidJudge = () => {
  const callsPerPair = new Map<string, number>();
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({
      score: async (metric) => {
        const pair = `${trace.trace_id} ${metric}`;
        callsPerPair.set(pair, (callsPerPair.get(pair) ?? 0) + 1);
        const tokens = { prompt: 10, completion: 1, cached: 0 };
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: { attempts: 1, tokens, cost_usd: 0.01 } };
      },
    }),
  };
  return { judge, callsPerPair };
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
    runInTurn: withoutFairShare,
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

/** A connection whose transactions are throttled as `kindOf` decides, with the size and the fault of each attempt. */
const throttlingDatabase = (kindOf: (call: Call, attempt: number) => FaultKind | null) => {
  const sizes: { readonly size: number; readonly kind: FaultKind | null }[] = [];
  const faultyDb = faultyDatabase(database, (call) => {
    if (call.operation !== "TransactWriteItems") return null;
    const kind = kindOf(call, sizes.length + 1);
    sizes.push({ size: sizeOf(call), kind });
    return kind;
  });
  return { faultyDb, sizes, throttledAttempts: () => sizes.filter(({ kind }) => kind !== null) };
};

/** A run of 48 pairs in one slice. */
const createRun = (): Promise<StoredFixture> => storedRun(database, 24, ["a", "b"]);

const stateOf = (run: StoredFixture) => run.runs.get(run.order.projectId, run.order.id);

test("throttled commits lose no judgement, and no call is paid twice", async () => {
  const [run, { judge, callsPerPair }] = [await createRun(), paidJudge()];
  const { faultyDb, throttledAttempts } = throttlingDatabase((_, attempt) => (attempt <= 4 ? "throttled-item" : null));

  const result = await deliver(run, judge, faultyDb);

  expect(throttledAttempts()).toHaveLength(4);
  expect(result).toEqual({ kind: "over" });
  expect([callsPerPair.size, [...new Set(callsPerPair.values())]]).toEqual([48, [1]]);
  expect(await run.scores()).toHaveLength(48);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 48, usage: { calls: 48 } });
});

test("a commit that is too large for a throttled partition is split into smaller ones", async () => {
  const [run, { judge, callsPerPair }] = [await createRun(), paidJudge()];
  const { faultyDb, sizes, throttledAttempts } = throttlingDatabase((call) =>
    sizeOf(call) > 30 ? "throttled-item" : null,
  );

  expect(await deliver(run, judge, faultyDb)).toEqual({ kind: "over" });

  expect(throttledAttempts().length).toBeGreaterThan(0);
  expect(sizes.filter(({ kind }) => kind === null).every(({ size }) => size <= 30)).toBe(true);
  expect([callsPerPair.size, [...new Set(callsPerPair.values())]]).toEqual([48, [1]]);
  expect(await run.scores()).toHaveLength(48);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 48, usage: { calls: 48 } });
});

test("a worker gives up a permanently throttled commit before its deadline", async () => {
  const [run, { judge }] = [await storedRun(database, 1, ["a"]), paidJudge()];
  const { faultyDb, throttledAttempts } = throttlingDatabase(() => "throttled-item");
  // A clock that runs twenty times as fast as the real one.
  const startedAt = Date.now();
  const now = (): number => startedAt + 20 * (Date.now() - startedAt);

  await expect(deliver(run, judge, faultyDb, { now, remaining: 100_000 })).rejects.toThrow(
    "throttled at every attempt",
  );

  expect(throttledAttempts().length).toBeGreaterThan(8);
  expect(now()).toBeGreaterThan(startedAt + 100_000 - 15_000);
  expect(await run.scores()).toHaveLength(0);
});
