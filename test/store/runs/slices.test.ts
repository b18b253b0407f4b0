import { afterAll, beforeAll, expect, test } from "vitest";
import { noUsage } from "../../../lib/domain/runs/run.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { leaseMilliseconds, sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const releaseUntil = (until: number, awaySince: number | null) => ({
  until,
  fruitless: 1,
  awaySince,
  waiting: null,
  waits: 0,
  asleep: false,
  usage: noUsage,
  run: { counted: 0, origin: {} },
});

const start = Date.parse("2026-10-01T12:00:00Z");

/** The slice store at a time after the start, milliseconds; claimAt claims the run's first slice at such a time. */
const at = (milliseconds: number) => sliceStore(database, () => start + milliseconds);
const claimAt = (run: StoredFixture, milliseconds: number) =>
  at(milliseconds).claim(run.order.projectId, run.order.id, run.slices[0] ?? "");

test("one of twenty workers gets a slice, the others get the end of its lease", async () => {
  const run = await storedRun(database, 1, ["one"]);

  const claims = await Promise.all(Array.from({ length: 20 }, () => claimAt(run, 0)));

  expect(claims.filter(({ kind }) => kind === "claimed").length).toBe(1);
  const busy = claims.filter((claim) => claim.kind === "busy");
  expect(busy).toEqual(
    Array.from({ length: 19 }, () => ({
      kind: "busy",
      until: start + leaseMilliseconds,
      isLeased: true,
      asleep: false,
      borrowed: false,
    })),
  );
});

test("a renewed lease stays valid, and an expired one can be claimed by another worker", async () => {
  const run = await storedRun(database, 1, ["one"]);
  const storedSlice = await run.claim(0, start);

  expect(await at(20_000).renew(storedSlice)).toBe(true);
  expect(await claimAt(run, leaseMilliseconds)).toMatchObject({ kind: "busy" });
  const otherClaim = await claimAt(run, 20_000 + leaseMilliseconds);
  expect(otherClaim).toMatchObject({ kind: "claimed", slice: { epoch: 2, fruitless: 2 } });
  expect(await at(20_000 + leaseMilliseconds).renew(storedSlice)).toBe(false);
});

test("a lease is valid until another worker claims the slice or the run is deleted", async () => {
  const [takenRun, removedRun] = [await storedRun(database, 1, ["one"]), await storedRun(database, 1, ["one"])];
  const [storedSlice, leftSlice] = [await takenRun.claim(0, start), await removedRun.claim(0, start)];
  const before = [await at(1_000).hasLease(storedSlice), await at(1_000).hasLease(leftSlice)];

  await claimAt(takenRun, leaseMilliseconds);
  const runRecord = await removedRun.runs.read(removedRun.order.projectId, removedRun.order.id);
  if (runRecord === null) throw new Error("The run is gone.");
  await runDeletion(database, removedRun.runs).remove(runRecord, false);

  expect(before).toEqual([true, true]);
  expect(await at(1_000).hasLease(storedSlice)).toBe(false);
  expect(await at(1_000).hasLease(leftSlice)).toBe(false);
});

test("a released slice cannot be claimed before the requested time", async () => {
  const run = await storedRun(database, 1, ["one"]);
  const storedSlice = await run.claim(0, start);

  await at(1_000).release(storedSlice, releaseUntil(start + 90_000, start + 500));

  expect(await claimAt(run, 89_999)).toMatchObject({ kind: "busy", until: start + 90_000, isLeased: false });
  const claim = await claimAt(run, 90_000);
  expect(claim).toMatchObject({ kind: "claimed", slice: { awaySince: start + 500 } });
});

test("a slice is abandoned if its last worker did not release it, and only until the next claim", async () => {
  const run = await storedRun(database, 1, ["one"]);
  const first = await run.claim(0, start);
  const second = await run.claim(0, start + leaseMilliseconds);
  await at(leaseMilliseconds).release(second, releaseUntil(start + leaseMilliseconds, null));
  const third = await run.claim(0, start + leaseMilliseconds);

  expect([first, second, third].map(({ isAbandoned }) => isAbandoned)).toEqual([false, true, false]);
});

test("a worker that has lost a slice cannot release it", async () => {
  const run = await storedRun(database, 1, ["one"]);
  const first = await run.claim(0, start);
  await run.claim(0, start + leaseMilliseconds);

  await at(leaseMilliseconds).release(first, releaseUntil(start, null));

  expect(await claimAt(run, leaseMilliseconds + 1)).toMatchObject({
    kind: "busy",
    until: start + 2 * leaseMilliseconds,
    isLeased: true,
  });
});

test("a slice keeps nothing of why it waited once it waits no more, or has made progress", async () => {
  const why = { awaySince: start, waiting: "The provider is away.", waits: 2 };
  const doubts = new Map([[1, { attempts: 2, since: start, isAnswered: true }]]);
  const none = { awaySince: null, waiting: null, waits: 0, doubts: new Map() };
  const [released, progressed] = [await storedRun(database, 1, ["a", "b"]), await storedRun(database, 1, ["a", "b"])];
  for (const run of [released, progressed])
    await at(0).release(await run.claim(0, start), { ...releaseUntil(start + 1, null), ...why, doubts });
  const waiting = await released.claim(0, start + 1);
  await at(2).release(waiting, { ...releaseUntil(start + 3, null), ...none });
  const claimed = await progressed.claim(0, start + 1);
  await settling(database, () => start).commit(claimed, 2, [await progressed.judged(claimed, 0, 0.5)]);

  expect(waiting).toMatchObject({ ...why, doubts });
  expect(await released.claim(0, start + 3)).toMatchObject(none);
  expect(await progressed.claim(0, start + leaseMilliseconds)).toMatchObject({ awaySince: null, waiting: null });
});

test("a settled slice and a nonexistent slice are over", async () => {
  const run = await storedRun(database, 1, ["one"]);
  const storedSlice = await run.claim(0, start);
  await settling(database).commit(storedSlice, 1, await run.allJudged(storedSlice));

  expect(await claimAt(run, 10 * leaseMilliseconds)).toEqual({ kind: "over" });
  expect(await at(0).claim(run.order.projectId, run.order.id, "none#0000")).toEqual({ kind: "over" });
});
