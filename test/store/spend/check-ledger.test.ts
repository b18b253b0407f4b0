import { randomUUID } from "node:crypto";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Ceilings } from "../../../lib/domain/runs/budget.ts";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { batchWrite } from "../../../lib/dynamo/batches.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import type { SliceDelivery } from "../../../lib/store/spend/ledger.ts";
import { ledgerEntryKey, budgetName } from "../../../lib/store/spend/items.ts";
import { type SliceReservation, spendStore } from "../../../lib/store/spend/spend.ts";
import { ledgerChecker } from "../../../lib/maintenance/check-ledger.ts";
import { monthLedger } from "../../support/runs/month-ledger.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { settling, storedRun } from "../runs/run-fixture.ts";

// A check covers the whole spend table: each test has tables of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const [minute, hour] = [60_000, 3_600_000];
const monthly: Ceilings = { run: null, project: 60, organization: null, deployment: 100 };

/** A deployment whose slices reserve 19 dollars each of its monthly ceiling. */
const setUp = () => {
  const clock = { at: Date.UTC(2026, 10, 15, 12) };
  const now = (): number => clock.at;
  const spend = spendStore(database, now);
  return {
    clock,
    now,
    spend,
    /** Creates an open run. @returns a delivery of its only slice. */
    slice: async () => {
      const { order, slices } = await storedRun(database, 1, ["a"]);
      await database.client.send(new PutCommand({ TableName: "access", Item: projectKey(order.projectId) }));
      return { project: order.projectId, run: order.id, slice: slices[0] ?? "", epoch: 1 };
    },
    reserve: (slice: SliceDelivery, overrides: Partial<SliceReservation> = {}) =>
      spend.reserve({ ...slice, spent: 0, maxUsd: 19, minUsd: 1, ceilings: monthly, ...overrides }),
    check: (through: Database = database) => ledgerChecker(through, now)(20_000),
    readLedger: () => monthLedger(database, budgetName("deployment", {}, clock.at)),
  };
};

/** Deletes a slice's ledger entry without releasing its reservation. */
const eraseEntry = ({ project, run, slice }: { project: string; run: string; slice: string }) =>
  database.client.send(new DeleteCommand({ TableName: "spend", Key: ledgerEntryKey(project, run, slice) }));

test("a reservation without a ledger entry is released once the ledger has not changed for an hour", async () => {
  const { clock, slice, reserve, check, readLedger } = setUp();
  const [erasedSlice, otherSlice] = [await slice(), await slice()];
  for (const each of [erasedSlice, otherSlice]) await reserve(each);
  await eraseEntry(erasedSlice);

  const earlyReport = await check();
  clock.at += hour + minute;
  const { lines, result } = await publishedLines(() => check());
  const lateReport = await result;
  const after = await readLedger();
  clock.at += hour + minute;
  const nextReport = await check();

  expect([earlyReport.wrongShards, earlyReport.openShards > 0]).toEqual([0, true]);
  // The shards of the deployment's budget and of the existing project's budget.
  expect([lateReport.wrongShards, lateReport.openShards]).toEqual([lines.length, 0]);
  const project = { event: "sum_mended", sum: "budget", project_id: erasedSlice.project };
  expect(lines).toContainEqual(expect.objectContaining(project));
  expect(after).toMatchObject({ used: 19_000_000, open: 19_000_000, wrong: [] });
  expect(nextReport.pages).toBe(0);
});

test("an organization's monthly budget is repaired too", async () => {
  const { clock, slice, reserve, check } = setUp();
  const erasedSlice = await slice();
  const organization = randomUUID();
  await reserve(erasedSlice, {
    organization,
    ceilings: { ...monthly, project: null, organization: 80, deployment: null },
  });
  await eraseEntry(erasedSlice);
  clock.at += hour;

  const { lines, result } = await publishedLines(() => check());

  expect(await result).toMatchObject({ budgets: 1, openShards: 0 });
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatchObject({ budget: `organization#${organization}#month#2026-11` });
});

test("a correct ledger is not changed, even if some of its ceilings were removed", async () => {
  const { clock, slice, reserve, check, readLedger, spend } = setUp();
  const onlySlice = await slice();
  await reserve(onlySlice);
  await spend.settle(onlySlice, 2.5);
  await reserve(
    { ...onlySlice, epoch: 2 },
    { spent: 2.5, ceilings: { ...monthly, organization: null, deployment: null } },
  );
  const open = await readLedger();
  clock.at += hour;

  const first = await check();
  const second = await check();

  expect(open).toMatchObject({ used: 2_500_000, open: 0, wrong: [] });
  expect(first).toMatchObject({ pages: 1, released: 0, budgets: 2, wrongShards: 0, openShards: 0 });
  expect(second.pages).toBe(0);
});

test("a budget that changes during the check is left alone, and checked again an hour later", async () => {
  const { clock, slice, reserve, check, readLedger, spend } = setUp();
  const [erasedSlice, movingSlice] = [await slice(), await slice()];
  for (const each of [erasedSlice, movingSlice]) await reserve(each);
  await eraseEntry(erasedSlice);
  clock.at += hour;
  let scans = 0;
  const moving = faultyDatabase(database, async ({ operation, input }) => {
    // The settlements happen between the reads of the ledger entries and of the budget shards.
    if (operation !== "BatchGetItem" || !Object.hasOwn(input["RequestItems"] ?? {}, "spend") || scans > 0) return null;
    scans += 1;
    for (const spent of [1, 30, 2, 35, 40]) await spend.settle(movingSlice, spent);
    return null;
  });
  const before = await readLedger();

  const { result } = await publishedLines(() => check(moving));
  const { openShards } = await result;
  const during = await readLedger();
  clock.at += hour + minute;
  await publishedLines(() => check());
  const after = await readLedger();

  expect([before.wrong.length > 0, scans, openShards > 0]).toEqual([true, 1, true]);
  // The erased reservation may be released from unchanged shards; amounts of ledger entries are never released.
  expect(during.used).toBeGreaterThanOrEqual(during.booked);
  expect([after.wrong, after.used]).toEqual([[], 40_000_000]);
});

test("an ended run releases the reservation of its dead worker, and its spending stays booked", async () => {
  const { clock, slice, reserve, check, readLedger } = setUp();
  const run = await storedRun(database, 1, ["a"]);
  const storedSlice = await run.claim(0, clock.at);
  const { projectId: project, id } = run.order;
  await reserve({ project, run: id, slice: storedSlice.slice.id, epoch: storedSlice.epoch });
  const usage = { calls: 1, promptTokens: 1, completionTokens: 1, cachedTokens: 0, cost: 2.5 };
  const judgedPair = { ...(await run.judged(storedSlice, 0, 1)), usage };
  await settling(database).commit(storedSlice, 1, [judgedPair]);
  await reserve(await slice());

  const earlyReport = await check();
  clock.at += 24 * hour;
  const { released } = await check();

  expect([earlyReport.released, released]).toEqual([0, 1]);
  expect(await readLedger()).toMatchObject({ used: 21_500_000, open: 21_500_000, wrong: [] });
});

test("a table with more pages than fit one sweep is continued by the next sweep", async () => {
  const { clock, now, slice, reserve, readLedger } = setUp();
  const erasedSlice = await slice();
  await reserve(erasedSlice);
  await eraseEntry(erasedSlice);
  const padding = "x".repeat(100_000);
  const items = Array.from({ length: 35 }, (_, index) => ({ pk: `other-${index}`, sk: "item", padding }));
  await batchWrite(
    database,
    "spend",
    items.map((Item) => ({ PutRequest: { Item } })),
  );
  clock.at += hour;

  const pages: number[] = [];
  for (let sweep = 0; sweep < 10 && (await readLedger()).wrong.length > 0; sweep += 1) {
    clock.at += minute;
    const { result } = await publishedLines(() => ledgerChecker(database, now)(0));
    pages.push((await result).pages);
  }

  expect(pages.length).toBeGreaterThan(2);
  // The last sweep checks the shards and reads no page.
  expect(pages).toEqual([...pages.slice(1).map(() => 1), 0]);
  expect((await readLedger()).used).toBe(0);
});

test("a reservation of a preview whose worker died counts as spent, and is checked once", async () => {
  const { clock, slice, reserve, check, readLedger } = setUp();
  const { project } = await slice();
  const preview = randomUUID();
  await reserve({ project, run: preview, slice: preview, epoch: 1 });
  clock.at += hour;

  const first = await check();
  clock.at += 24 * hour;
  const second = await check();

  expect([first.released, second.released]).toEqual([1, 0]);
  expect(await readLedger()).toMatchObject({ used: 19_000_000, open: 19_000_000, wrong: [] });
});
