import { afterAll, beforeAll, expect, test } from "vitest";
import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { InTurn } from "../../../lib/evaluation/slices/turns.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import { leaseMilliseconds, sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { alone } from "../../support/runs/alone.ts";
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

/** Two projects with a run each, and a worker. */
const world = async () => {
  const [mine, other] = [await storedRun(database, 1, ["one"]), await storedRun(database, 1, ["one"])];
  const messageOf = ({ order, slices: [slice = ""] }: typeof mine) => ({
    project: order.projectId,
    run: order.id,
    slice,
  });
  const worker = (inTurn: InTurn, at = now) =>
    sliceEvaluation({
      runs: mine.runs,
      slices: sliceStore(database, () => at),
      settlement: settling(database, () => at),
      inTurn,
      targets: targetsOf(database, judge, () => at),
      judge,
      spending: withoutCeilings(database, () => at),
      calls: 1,
      now: () => at,
    });
  const [sent, waiting] = [messageOf(mine), messageOf(other)];
  const borrowing: InTurn = (_, work) => work({ message: waiting, borrowed: true, isOver: () => false });
  return { mine, other, sent, waiting, worker, borrowing };
};

test("a worker that works on another's slice keeps the message that it was sent with", async () => {
  const { mine, other, sent, worker, borrowing } = await world();

  const result = await worker(borrowing)(sent, now + 180_000);

  expect(result).toEqual({ kind: "later", at: now });
  expect(await other.scores()).toHaveLength(1);
  expect(await mine.scores()).toHaveLength(0);
});

test("the message of a slice that is borrowed comes back when it may be free, one of a slice with a worker of its own does not", async () => {
  const { waiting, worker } = await world();
  const { project, run, slice } = waiting;
  const slices = sliceStore(database, () => now);

  await slices.claim(project, run, slice, true);
  const borrowed = await worker(alone)(waiting, now + 180_000);
  const later = sliceStore(database, () => now + leaseMilliseconds);
  await later.claim(project, run, slice);
  const held = await worker(alone, now + leaseMilliseconds)(waiting, now + 180_000);

  expect(borrowed).toEqual({ kind: "later", at: now + leaseMilliseconds + 1_000 });
  expect(held).toEqual({ kind: "duplicate" });
});

test("a turn that ends before anything could be judged was no attempt in vain", async () => {
  const { waiting, worker } = await world();
  const { project, run, slice } = waiting;
  const short: InTurn = (message, work) => work({ message, borrowed: false, isOver: () => true });

  for (let turn = 0; turn < 8; turn += 1) await worker(short, now + turn * 60_000)(waiting, now + 10_000_000);

  const claim = await sliceStore(database, () => now + 3_600_000).claim(project, run, slice);
  expect(claim).toMatchObject({ kind: "claimed", held: { fruitless: 1, commits: 0 } });
});
