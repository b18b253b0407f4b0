import { afterAll, beforeAll, expect, test } from "vitest";
import { noUsage } from "../../../lib/domain/runs/judge-usage.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { leaseMilliseconds, sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const left = (until: number, awaySince: number | null) => ({
  until,
  fruitless: 1,
  awaySince,
  waiting: null,
  waits: 0,
  asleep: false,
  usage: noUsage,
});

const start = Date.parse("2026-10-01T12:00:00Z");

/** The store at some moment, and a claim of the run's first slice through it. */
const at = (milliseconds: number) => sliceStore(database, () => start + milliseconds);
const claimAt = (run: StoredFixture, milliseconds: number) =>
  at(milliseconds).claim(run.order.projectId, run.order.id, run.slices[0] ?? "");

test("one of twenty workers gets a slice, the others learn until when", async () => {
  const run = await storedRun(database, 1, ["one"]);

  const claims = await Promise.all(Array.from({ length: 20 }, () => claimAt(run, 0)));

  expect(claims.filter(({ kind }) => kind === "claimed").length).toBe(1);
  const busy = claims.filter((claim) => claim.kind === "busy");
  expect(busy).toEqual(
    Array.from({ length: 19 }, () => ({
      kind: "busy",
      until: start + leaseMilliseconds,
      held: true,
      asleep: false,
      borrowed: false,
    })),
  );
});

test("a lease that is renewed is kept, and one that ran out can be taken", async () => {
  const run = await storedRun(database, 1, ["one"]);
  const held = await run.claim(0, start);

  expect(await at(20_000).renew(held)).toBe(true);
  expect(await claimAt(run, leaseMilliseconds)).toMatchObject({ kind: "busy" });
  const taken = await claimAt(run, 20_000 + leaseMilliseconds);
  expect(taken).toMatchObject({ kind: "claimed", held: { epoch: 2, fruitless: 2 } });
  expect(await at(20_000 + leaseMilliseconds).renew(held)).toBe(false);
});

test("a lease is held until another worker has the slice, or its run is deleted", async () => {
  const [taken, removed] = [await storedRun(database, 1, ["one"]), await storedRun(database, 1, ["one"])];
  const [held, left] = [await taken.claim(0, start), await removed.claim(0, start)];
  const before = [await at(1_000).holds(held), await at(1_000).holds(left)];

  await claimAt(taken, leaseMilliseconds);
  const stored = await removed.runs.read(removed.order.projectId, removed.order.id);
  if (stored === null) throw new Error("The run is gone.");
  await runDeletion(database, removed.runs).remove(stored, false);

  expect(before).toEqual([true, true]);
  expect(await at(1_000).holds(held)).toBe(false);
  expect(await at(1_000).holds(left)).toBe(false);
});

test("a slice that is given back waits as long as it was told to", async () => {
  const run = await storedRun(database, 1, ["one"]);
  const held = await run.claim(0, start);

  await at(1_000).giveBack(held, left(start + 90_000, start + 500));

  expect(await claimAt(run, 89_999)).toMatchObject({ kind: "busy", until: start + 90_000, held: false });
  const again = await claimAt(run, 90_000);
  expect(again).toMatchObject({ kind: "claimed", held: { awaySince: start + 500 } });
});

test("who has lost a slice cannot give it back", async () => {
  const run = await storedRun(database, 1, ["one"]);
  const first = await run.claim(0, start);
  await run.claim(0, start + leaseMilliseconds);

  await at(leaseMilliseconds).giveBack(first, left(start, null));

  expect(await claimAt(run, leaseMilliseconds + 1)).toMatchObject({
    kind: "busy",
    until: start + 2 * leaseMilliseconds,
    held: true,
  });
});

test("a provider that is back is not away any more", async () => {
  const run = await storedRun(database, 1, ["one"]);
  await at(0).giveBack(await run.claim(0, start), left(start + 1, start));

  await at(2).giveBack(await run.claim(0, start + 1), left(start + 3, null));

  expect(await run.claim(0, start + 3)).toMatchObject({ awaySince: null });
});

test("a slice that is done, and one that does not exist, are over", async () => {
  const run = await storedRun(database, 1, ["one"]);
  const held = await run.claim(0, start);
  await settling(database).commit(held, 1, await run.allJudged(held));

  expect(await claimAt(run, 10 * leaseMilliseconds)).toEqual({ kind: "over" });
  expect(await at(0).claim(run.order.projectId, run.order.id, "none#0000")).toEqual({ kind: "over" });
});
