import { randomUUID } from "node:crypto";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deletionEraser } from "../../../lib/deletion/erase-deleted.ts";
import { storageScan } from "../../../lib/deletion/scan-storage.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { batchGet, batchWrite } from "../../../lib/dynamo/batches.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { scanProgress } from "../../../lib/store/deletion/scan-progress.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { failedLists } from "../../../lib/store/totals/failed-lists.ts";
import { runList } from "../../../lib/store/runs/list.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { bodyPartition, partSort, rowKeyIn } from "../../../lib/store/traces/keys.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runKey } from "../../../lib/store/runs/keys.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { budgetName } from "../../../lib/store/spend/items.ts";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import { runItem } from "../../support/runs/run-items.ts";
import { monthLedger } from "../../support/runs/month-ledger.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";

// A storage scan covers the whole deployment: each test has tables of its own.
let database: TestDatabase;
beforeEach(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  database = await startDatabase();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
});

const hour = 3_600_000;

/** A project whose deletion waits for the storage scan that proves it, and the sweeper's clock. */
const projectAwaitingProof = async () => {
  const [owner, access] = [randomUUID(), accessStore(database, 1_000)];
  const organizationId = await access.createOrganization("Acme");
  await access.addMember(organizationId, owner, "OWNER");
  const [doomedProject, livingProject] = [
    await access.findOrCreateProject(organizationId, "a"),
    await access.findOrCreateProject(organizationId, "b"),
  ];
  await deletionRequests(database).ofProject(doomedProject, owner);
  const clock = { at: Date.now() };
  const now = (): number => clock.at;
  await deletionEraser(database, { remove: async () => undefined }, now)(hour);
  clock.at += proofMilliseconds;
  return {
    clock,
    now,
    doomedProject,
    livingProject,
    scan: (through: Database = database) => storageScan(through, now)(60_000),
    erase: () => deletionEraser(database, { remove: async () => undefined }, now)(hour),
    openDeletions: () => deletionStore(database, now).open(),
    /** True if the deletion is proved within four sweeps. */
    isProved: async (): Promise<boolean> => {
      for (let attempt = 0; attempt < 4; attempt += 1) {
        clock.at += proofMilliseconds;
        await storageScan(database, now)(60_000);
        await deletionEraser(database, { remove: async () => undefined }, now)(hour);
      }
      return (await deletionStore(database, now).open()).length === 0;
    },
  };
};

/** Trace rows on days that are not in the project's list of days. */
const strayRows = (project: string, count: number): Promise<void> =>
  batchWrite(
    database,
    "rows",
    Array.from({ length: count }, (_, day) => ({
      PutRequest: { Item: { ...rowKeyIn(project, randomUUID(), instantAt(day * 24 * hour), 0), stray: true } },
    })),
  );

const rowsNaming = async (project: string): Promise<number> =>
  (await itemsNaming(database, [project])).filter(({ table }) => table === "rows").length;

test("failed runs and scores of an earlier version are listed after a scan that began after it had ended", async () => {
  const clock = { at: Date.now() };
  const [project, now] = [randomUUID(), () => clock.at];
  const order = someOrder({ projectId: project });
  const score = someScore({ project_id: project, trace_id: randomUUID(), status: "FAILED", value: null });
  const { open_key: _open, ...run } = runItem({ order, status: "FAILED" });
  const [scoreItem, { time_key: _time, order_key: _order, ...copy }] = scoreItems(score, {
    incarnation: "i",
    expiresAt: null,
  });
  await batchWrite(database, "runs", [{ PutRequest: { Item: run } }]);
  await batchWrite(
    database,
    "scores",
    [scoreItem, copy].map((Item) => ({ PutRequest: { Item } })),
  );
  const progress = scanProgress(database, now);
  await progress.claim();
  await progress.release({ running: null, last: clock.at, sizes: {} });
  const lists = async () => {
    const { runs } = await runList(database, now).page(project, "TRACE", { status: "FAILED" }, 5, 0);
    const { items } = await scoreList(database, traceScoreKind, now).page(project, { status: "FAILED" }, 5, 0);
    return { isComplete: await failedLists(database, now).isComplete(), runs: runs.length, scores: items.length };
  };

  const [atOnce, before] = [await storageScan(database, now)(60_000), await lists()];
  clock.at += hour;
  await storageScan(database, now)(60_000);

  expect(atOnce.pages).toBe(0);
  expect(before).toEqual({ isComplete: false, runs: 1, scores: 1 });
  expect(await lists()).toEqual({ isComplete: true, runs: 1, scores: 1 });
});

test("scores of an earlier version get the number or category that statistics read, by a scan after the upgrade", async () => {
  const clock = { at: Date.now() };
  const [project_id, now] = [randomUUID(), () => clock.at];
  const olderScores = [
    { data_type: "BOOLEAN", value: "false" },
    { data_type: "CATEGORICAL", value: "warm" },
    { data_type: "BOOLEAN", value: "true", applicable: false },
  ] as const;
  const items = olderScores.map((fields) => {
    const score = someScore({ project_id, trace_id: randomUUID(), ...fields });
    return scoreItems(score, { incarnation: "i", expiresAt: null })[0];
  });
  await batchWrite(
    database,
    "scores",
    items.map(({ x: _x, cat: _cat, ...Item }) => ({ PutRequest: { Item } })),
  );
  const progress = scanProgress(database, now);
  await progress.claim();
  await progress.release({ running: null, last: clock.at, sizes: {} });

  await storageScan(database, now)(60_000);
  clock.at += 2 * hour;
  await storageScan(database, now)(60_000);

  const stored = await batchGet(
    database,
    "scores",
    items.map(({ pk, sk }) => ({ pk, sk })),
  );
  expect(stored.map(({ x, cat }) => [x, cat]).toSorted()).toEqual(items.map(({ x, cat }) => [x, cat]).toSorted());
  expect(items.map(({ x, cat }) => x ?? cat)).toEqual(["0", "warm", " 1"]);
});

test("an unreadable item is left in place and counted, and does not block the proof of a deletion", async () => {
  const { clock, now, doomedProject, livingProject, scan, isProved } = await projectAwaitingProof();
  const trace = someTrace();
  await traceStore(database, 0, () => clock.at - 60 * 24 * hour).save(livingProject.id, trace);
  // Items as a later version may write them: a trace row, and a document part of each of the two projects.
  await database.client.send(
    new UpdateCommand({
      TableName: "rows",
      Key: rowKeyIn(livingProject.id, trace.trace_id, trace.started_at, 0),
      UpdateExpression: "SET d = :d",
      ExpressionAttributeValues: { ":d": Buffer.from([250, 1]) },
    }),
  );
  const part = { sk: partSort("piece", 0), w: "later" };
  for (const { id } of [livingProject, doomedProject]) {
    const pk = bodyPartition(id, randomUUID());
    await database.client.send(new PutCommand({ TableName: "bodies", Item: { pk, ...part } }));
  }

  const score = scoreItems(someScore({ project_id: doomedProject.id, trace_id: randomUUID() }), {
    incarnation: "i",
    expiresAt: null,
  });
  for (const item of score) {
    await database.client.send(new PutCommand({ TableName: "scores", Item: { ...item, d: Buffer.from([250, 1]) } }));
  }

  const report = await scan();

  // The unreadable score and its copy are strays as well.
  expect(report).toMatchObject({ unreadable: 3, strays: 3 });
  expect((await scanProgress(database, now).read()).running).toBeNull();
  expect(await isProved()).toBe(true);
  const remainingItems = (await itemsNaming(database, [livingProject.id, doomedProject.id])).filter(
    ({ table }) => table === "bodies",
  );
  expect(remainingItems.map(({ item }) => item["sk"]).toSorted()).toEqual([part.sk, "row"]);
});

test("an unreadable score does not block the removal of its project", async () => {
  const { doomedProject, clock, now } = await projectAwaitingProof();
  const [score] = scoreItems(someScore({ project_id: doomedProject.id, trace_id: randomUUID() }), {
    incarnation: "i",
    expiresAt: null,
  });
  await database.client.send(new PutCommand({ TableName: "scores", Item: { ...score, d: Buffer.from([250, 1]) } }));
  await scanProgress(database, now).release({ running: null, last: clock.at, sizes: {} });

  await deletionEraser(database, { remove: async () => undefined }, now)(hour);

  expect((await itemsNaming(database, [doomedProject.id])).filter(({ table }) => table === "scores")).toEqual([]);
});

test("a large table is scanned in segments, and a failed segment keeps the progress of the other segments", async () => {
  const { now, doomedProject, scan, isProved } = await projectAwaitingProof();
  await strayRows(doomedProject.id, 120);
  const progress = scanProgress(database, now);
  await progress.release({ running: null, last: null, sizes: { rows: 35_000 } });
  const segments = new Set<string>();
  let fails = true;
  const watched = faultyDatabase(database, ({ operation, input }) => {
    if (operation !== "Scan") return null;
    const [segment = "all", total = 1] = [input["Segment"], input["TotalSegments"]] as (number | undefined)[];
    segments.add(`${String(input["TableName"])} ${segment} of ${total}`);
    return fails && input["TableName"] === "rows" && input["Segment"] === 1 ? "server-error" : null;
  });

  await expect(scan(watched)).rejects.toThrow("Segments of rows that could not be read.");
  const broken = (await progress.read()).running?.places.map(({ done: isDone }) => isDone);
  fails = false;
  const remainingRows = await rowsNaming(doomedProject.id);
  segments.clear();
  const report = await scan(watched);

  expect(broken).toEqual([true, false, true]);
  expect([...segments].filter((each) => each.startsWith("rows"))).toEqual(["rows 1 of 3"]);
  expect(segments).toContain("bodies all of 1");
  expect(remainingRows).toBeGreaterThan(0);
  expect(remainingRows).toBeLessThan(120);
  expect(report.strays).toBe(remainingRows);
  expect(await rowsNaming(doomedProject.id)).toBe(0);
  expect(await isProved()).toBe(true);
});

test("strays whose removal killed their scan count, and a scan minutes later does not prove the deletion", async () => {
  const { clock, doomedProject, scan, erase, openDeletions, isProved } = await projectAwaitingProof();
  await strayRows(doomedProject.id, 3);
  const dying = faultyDatabase(database, ({ operation, input }) =>
    operation === "BatchWriteItem" && Object.hasOwn(input["RequestItems"] ?? {}, "rows") ? "crash-after" : null,
  );

  await scan(dying).catch(() => undefined);
  const remainingRows = await rowsNaming(doomedProject.id);
  clock.at += 5 * 60_000;
  await scan();
  await erase();

  expect([dying.crashed, remainingRows]).toEqual([true, 0]);
  expect(await openDeletions()).toMatchObject([{ strays: 3 }]);
  expect(await isProved()).toBe(true);
});

test("a deletion whose second pass removed an item waits for two further empty passes", async () => {
  const { clock, now, doomedProject, scan, erase, openDeletions, isProved } = await projectAwaitingProof();
  await scan();
  await traceStore(database, 0, now).save(doomedProject.id, someTrace());

  await erase();
  const afterRemoval = await openDeletions();
  await erase();

  expect(afterRemoval).toMatchObject([{ emptySince: null, removed: { traces: 2 } }]);
  expect(await openDeletions()).toMatchObject([{ emptySince: clock.at }]);
  expect(await isProved()).toBe(true);
});

test("items that a worker removed before it died end the proof of a deletion", async () => {
  const { clock, now, doomedProject, scan, openDeletions, isProved } = await projectAwaitingProof();
  await scan();
  await traceStore(database, 0, now).save(doomedProject.id, someTrace());
  const dying = faultyDatabase(database, ({ input }) =>
    JSON.stringify(input).includes("REMOVE lease") ? "crash-before" : null,
  );
  await deletionEraser(dying, { remove: async () => undefined }, now)(hour).catch(() => undefined);
  const afterDeath = await openDeletions();
  clock.at += 4 * 60_000;

  expect(dying.crashed).toBe(true);
  expect(afterDeath).toMatchObject([{ emptySince: null, passing: null, removed: { traces: 2 } }]);
  expect(await isProved()).toBe(true);
});

test("a run that is missing in all lists is removed, and what its worker had reserved counts as spent", async () => {
  const { now, doomedProject, scan, isProved } = await projectAwaitingProof();
  const order = someOrder({ projectId: doomedProject.id, total: 1, createdAt: instantAt(now()) });
  await runCreation(database, now)(order, wholeTargets([randomUUID()]));
  const delivery = { project: doomedProject.id, run: order.id, slice: "a#0000", epoch: 1 };
  const ceilings = { run: null, project: null, organization: null, deployment: 100 };
  await spendStore(database, now).reserve({ ...delivery, spent: 0.25, maxUsd: 7, minUsd: 1, ceilings });
  // A run that a lagging index hides.
  await database.client.send(
    new UpdateCommand({
      TableName: "runs",
      Key: runKey(doomedProject.id, order.id),
      UpdateExpression: "REMOVE list_key, open_key",
    }),
  );
  const month = budgetName("deployment", {}, now());
  const reserved = await monthLedger(database, month);

  const report = await scan();

  expect(reserved).toMatchObject({ used: 7_000_000, open: 7_000_000 });
  expect(report.strays).toBeGreaterThan(0);
  expect(await monthLedger(database, month)).toEqual({ used: 7_000_000, booked: 7_000_000, open: 0, wrong: [] });
  expect(await isProved()).toBe(true);
});
