import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { RunInTurn } from "../../../lib/evaluation/slices/fair-share-turns.ts";
import { withLogContext } from "../../../lib/log-context.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import { leaseMilliseconds, sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { withoutFairShare } from "../../support/runs/without-fair-share.ts";
import { withoutCeilings } from "../../support/runs/without-ceilings.ts";
import { settling, storedRun } from "./run-fixture.ts";
import { targetsOf } from "./targets-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const now = Date.parse("2026-11-22T09:00:00Z");

const judge: Judge = {
  readiness: async () => ({ ready: true }),
  target: () => ({ score: async () => ({ kind: "scored", value: 0.5, reason: "Half.", metadata: {} }) }),
};

/** Two projects with a run each, a worker, and a fair-share turn that borrows the second run's slice. */
const setUp = async () => {
  const [firstRun, secondRun] = [await storedRun(database, 1, ["one"]), await storedRun(database, 1, ["one"])];
  const messageOf = ({ order, slices: [slice = ""] }: typeof firstRun) => ({
    project: order.projectId,
    run: order.id,
    slice,
  });
  const worker = (inTurn: RunInTurn, at = now) =>
    sliceEvaluation({
      runs: firstRun.runs,
      slices: sliceStore(database, () => at),
      settlement: settling(database, () => at),
      runInTurn: inTurn,
      targets: targetsOf(database, judge, () => at),
      judge,
      spending: withoutCeilings(database, () => at),
      calls: 1,
      now: () => at,
    });
  const [deliveredMessage, otherMessage] = [messageOf(firstRun), messageOf(secondRun)];
  const borrowingTurn: RunInTurn = (_, work) =>
    work({ message: otherMessage, isBorrowed: true, isOver: () => false, noteAnswers: () => undefined });
  return { firstRun, secondRun, deliveredMessage, otherMessage, worker, borrowingTurn };
};

test("a worker that evaluates a borrowed slice keeps the message that it received", async () => {
  const { firstRun, secondRun, deliveredMessage, worker, borrowingTurn } = await setUp();

  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const result = await withLogContext({ run_id: firstRun.order.id }, () =>
    worker(borrowingTurn)(deliveredMessage, now + 180_000),
  );
  const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown);
  log.mockRestore();

  expect(result).toEqual({ kind: "later", at: now });
  expect(lines).toMatchObject([{ event: "borrowed_slice_completed", outcome: "over", run_id: secondRun.order.id }]);
  expect(await secondRun.scores()).toHaveLength(1);
  expect(await firstRun.scores()).toHaveLength(0);
});

test("the message of a borrowed slice is delayed until the slice may be free; a message of a slice with its own worker is a duplicate", async () => {
  const { otherMessage, worker } = await setUp();
  const { project, run, slice } = otherMessage;
  const slices = sliceStore(database, () => now);

  await slices.claim(project, run, slice, true);
  const resultOfBorrowed = await worker(withoutFairShare)(otherMessage, now + 180_000);
  const laterSlices = sliceStore(database, () => now + leaseMilliseconds);
  await laterSlices.claim(project, run, slice);
  const resultOfLeased = await worker(withoutFairShare, now + leaseMilliseconds)(otherMessage, now + 180_000);

  expect(resultOfBorrowed).toEqual({ kind: "later", at: now + leaseMilliseconds + 1_000 });
  expect(resultOfLeased).toEqual({ kind: "duplicate" });
});

test("a turn that ends before any judgement does not count as a fruitless delivery", async () => {
  const { otherMessage, worker } = await setUp();
  const { project, run, slice } = otherMessage;
  const short: RunInTurn = (message, work) =>
    work({ message, isBorrowed: false, isOver: () => true, noteAnswers: () => undefined });

  for (let turn = 0; turn < 8; turn += 1) await worker(short, now + turn * 60_000)(otherMessage, now + 10_000_000);

  const claim = await sliceStore(database, () => now + 3_600_000).claim(project, run, slice);
  expect(claim).toMatchObject({ kind: "claimed", slice: { fruitless: 1, commits: 0 } });
});
