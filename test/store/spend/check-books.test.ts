import { randomUUID } from "node:crypto";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Ceilings } from "../../../lib/domain/runs/spend.ts";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { batchWrite } from "../../../lib/store/batch-write.ts";
import type { Database } from "../../../lib/store/database.ts";
import type { SliceDelivery } from "../../../lib/store/spend/moves.ts";
import { bookKey, budgetName } from "../../../lib/store/spend/items.ts";
import { type Reservation, spendStore } from "../../../lib/store/spend/spend.ts";
import { bookChecking } from "../../../lib/upkeep/check-books.ts";
import { monthBooks } from "../../support/runs/month-books.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { settling, storedRun } from "../runs/run-fixture.ts";

// A check is of the whole table: each test has one of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const [minute, hour] = [60_000, 3_600_000];
const monthly: Ceilings = { run: null, project: 60, organization: null, deployment: 100 };

/** Slices of runs that hold 19 dollars each of the deployment's month. */
const world = () => {
  const clock = { at: Date.UTC(2026, 10, 15, 12) };
  const now = (): number => clock.at;
  const spend = spendStore(database, now);
  return {
    clock,
    now,
    spend,
    /** A slice of a run that goes on. */
    slice: async () => {
      const { order, slices } = await storedRun(database, 1, ["a"]);
      await database.client.send(new PutCommand({ TableName: "access", Item: projectKey(order.projectId) }));
      return { project: order.projectId, run: order.id, slice: slices[0] ?? "", epoch: 1 };
    },
    reserve: (slice: SliceDelivery, given: Partial<Reservation> = {}) =>
      spend.reserve({ ...slice, spent: 0, want: 19, least: 1, ceilings: monthly, ...given }),
    check: (through: Database = database) => bookChecking(through, now)(20_000),
    books: () => monthBooks(database, budgetName("deployment", {}, clock.at)),
  };
};

/** Erases a slice's record without giving anything back. */
const lose = ({ project, run, slice }: { project: string; run: string; slice: string }) =>
  database.client.send(new DeleteCommand({ TableName: "spend", Key: bookKey(project, run, slice) }));

test("what a book held that is not there any more is given back, once everything has stood still", async () => {
  const { clock, slice, reserve, check, books } = world();
  const [lost, kept] = [await slice(), await slice()];
  for (const each of [lost, kept]) await reserve(each);
  await lose(lost);

  const early = await check();
  clock.at += hour + minute;
  const { lines, result } = await publishedLines(() => check());
  const late = await result;
  const after = await books();
  clock.at += hour + minute;
  const again = await check();

  expect([early.wrongShards, early.openShards > 0]).toEqual([0, true]);
  // Of the deployment and of the project, which lives.
  expect([late.wrongShards, late.openShards]).toEqual([lines.length, 0]);
  const project = { event: "sum_mended", sum: "budget", project_id: lost.project };
  expect(lines).toContainEqual(expect.objectContaining(project));
  expect(after).toMatchObject({ used: 19_000_000, open: 19_000_000, wrong: [] });
  expect(again.pages).toBe(0);
});

test("an organization's month is mended too", async () => {
  const { clock, slice, reserve, check } = world();
  const lost = await slice();
  const organization = randomUUID();
  await reserve(lost, { organization, ceilings: { ...monthly, project: null, organization: 80, deployment: null } });
  await lose(lost);
  clock.at += hour;

  const { lines, result } = await publishedLines(() => check());

  expect(await result).toMatchObject({ budgets: 1, openShards: 0 });
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatchObject({ budget: `organization#${organization}#month#2026-11` });
});

test("books that add up stay as they are, also where a ceiling is no more", async () => {
  const { clock, slice, reserve, check, books, spend } = world();
  const one = await slice();
  await reserve(one);
  await spend.settle(one, 2.5);
  await reserve({ ...one, epoch: 2 }, { spent: 2.5, ceilings: { ...monthly, organization: null, deployment: null } });
  const open = await books();
  clock.at += hour;

  const first = await check();
  const second = await check();

  expect(open).toMatchObject({ used: 2_500_000, open: 0, wrong: [] });
  expect(first).toMatchObject({ pages: 1, released: 0, budgets: 2, wrongShards: 0, openShards: 0 });
  expect(second.pages).toBe(0);
});

test("what moves while the books are added up is left alone, and looked at again an hour later", async () => {
  const { clock, slice, reserve, check, books, spend } = world();
  const [lost, other] = [await slice(), await slice()];
  for (const each of [lost, other]) await reserve(each);
  await lose(lost);
  clock.at += hour;
  let scans = 0;
  const moving = faultyDatabase(database, async ({ operation, input }) => {
    // Between the books and the shards.
    if (operation !== "BatchGetItem" || !Object.hasOwn(input["RequestItems"] ?? {}, "spend") || scans > 0) return null;
    scans += 1;
    for (const spent of [1, 30, 2, 35, 40]) await spend.settle(other, spent);
    return null;
  });
  const before = await books();

  const { result } = await publishedLines(() => check(moving));
  const { openShards } = await result;
  const during = await books();
  clock.at += hour + minute;
  await publishedLines(() => check());
  const after = await books();

  expect([before.wrong.length > 0, scans, openShards > 0]).toEqual([true, 1, true]);
  // What was lost may be given back of shards that stood still; never what books hold.
  expect(during.used).toBeGreaterThanOrEqual(during.booked);
  expect([after.wrong, after.used]).toEqual([[], 40_000_000]);
});

test("a run that is over gives back what its last worker held when it died, and what it has spent stays booked", async () => {
  const { clock, slice, reserve, check, books } = world();
  const run = await storedRun(database, 1, ["a"]);
  const held = await run.claim(0, clock.at);
  const { projectId: project, id } = run.order;
  await reserve({ project, run: id, slice: held.slice.id, epoch: held.epoch });
  const usage = { calls: 1, promptTokens: 1, completionTokens: 1, cachedTokens: 0, cost: 2.5 };
  const judged = { ...(await run.judged(held, 0, 1)), usage };
  await settling(database).commit(held, 1, [judged]);
  await reserve(await slice());

  const early = await check();
  clock.at += 24 * hour;
  const { released } = await check();

  expect([early.released, released]).toEqual([0, 1]);
  expect(await books()).toMatchObject({ used: 21_500_000, open: 21_500_000, wrong: [] });
});

test("a table of more pages than there is time for is gone on with where the last sweep was", async () => {
  const { clock, now, slice, reserve, books } = world();
  const lost = await slice();
  await reserve(lost);
  await lose(lost);
  const padding = "x".repeat(100_000);
  const items = Array.from({ length: 35 }, (_, index) => ({ pk: `other-${index}`, sk: "item", padding }));
  await batchWrite(
    database,
    "spend",
    items.map((Item) => ({ PutRequest: { Item } })),
  );
  clock.at += hour;

  const pages: number[] = [];
  for (let sweep = 0; sweep < 10 && (await books()).wrong.length > 0; sweep += 1) {
    clock.at += minute;
    const { result } = await publishedLines(() => bookChecking(database, now)(0));
    pages.push((await result).pages);
  }

  expect(pages.length).toBeGreaterThan(2);
  // At the end the shards are looked at.
  expect(pages).toEqual([...pages.slice(1).map(() => 1), 0]);
  expect((await books()).used).toBe(0);
});

test("what is held for something that is no run, a preview whose worker died, is given back", async () => {
  const { clock, slice, reserve, check, books } = world();
  const { project } = await slice();
  const preview = randomUUID();
  await reserve({ project, run: preview, slice: preview, epoch: 1 });
  const held = await books();
  clock.at += hour;

  const { released } = await check();

  expect([held.used, released]).toEqual([19_000_000, 1]);
  expect(await books()).toMatchObject({ used: 0, open: 0, wrong: [] });
});
