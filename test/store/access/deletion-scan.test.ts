import { randomUUID } from "node:crypto";
import { PutCommand, ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { erasing } from "../../../lib/deletion/erase-deleted.ts";
import { storageScanning } from "../../../lib/deletion/scan-storage.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { batchWrite } from "../../../lib/store/batch-write.ts";
import type { Database } from "../../../lib/store/database.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { scanProgress } from "../../../lib/store/deletion/scan-progress.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { bodyPartition, partSort, rowKey } from "../../../lib/store/traces/keys.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runKey } from "../../../lib/store/runs/keys.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { budgetName } from "../../../lib/store/spend/items.ts";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import { monthBooks } from "../../support/runs/month-books.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";

// A scan is of everything: each test has tables of its own.
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

/** A project that waits for the scan which proves its deletion, and the sweeper's clock. */
const waiting = async () => {
  const [owner, access] = [randomUUID(), accessStore(database, 1_000)];
  const organizationId = await access.createOrganization("Acme");
  await access.addMember(organizationId, owner, "OWNER");
  const [doomed, kept] = [
    await access.projectNamed(organizationId, "a"),
    await access.projectNamed(organizationId, "b"),
  ];
  await deletionRequests(database).ofProject(doomed, owner);
  const clock = { at: Date.now() };
  const now = (): number => clock.at;
  await erasing(database, { remove: async () => undefined }, now)(hour);
  clock.at += proofMilliseconds;
  return {
    clock,
    now,
    doomed,
    kept,
    scan: (through: Database = database) => storageScanning(through, now)(60_000),
    /** Whether the sweeper comes to the proof. */
    isProved: async (): Promise<boolean> => {
      for (let look = 0; look < 4; look += 1) {
        clock.at += proofMilliseconds;
        await storageScanning(database, now)(60_000);
        await erasing(database, { remove: async () => undefined }, now)(hour);
      }
      return (await deletionStore(database, now).open()).length === 0;
    },
  };
};

/** Rows of traces on days of their own that no list of days leads to. */
const strayRows = (project: string, count: number): Promise<void> =>
  batchWrite(
    database,
    "rows",
    Array.from({ length: count }, (_, day) => ({
      PutRequest: { Item: { ...rowKey(project, randomUUID(), instantAt(day * 24 * hour)), stray: true } },
    })),
  );

const rowsNaming = async (project: string): Promise<number> =>
  (await itemsNaming(database, [project])).filter(({ table }) => table === "rows").length;

test("what cannot be read is left where it is and told of, and keeps nobody from the proof of a deletion", async () => {
  const { clock, now, doomed, kept, scan, isProved } = await waiting();
  const trace = someTrace();
  await traceStore(database, 0, () => clock.at - 60 * 24 * hour).save(kept.id, trace);
  // As a later version may write them: the row of a trace, a part of a document, and something of the deleted project.
  await database.client.send(
    new UpdateCommand({
      TableName: "rows",
      Key: rowKey(kept.id, trace.trace_id, trace.started_at),
      UpdateExpression: "SET d = :d",
      ExpressionAttributeValues: { ":d": Buffer.from([250, 1]) },
    }),
  );
  const part = { sk: partSort("piece", 0), w: "later" };
  for (const { id } of [kept, doomed]) {
    const pk = bodyPartition(id, randomUUID());
    await database.client.send(new PutCommand({ TableName: "bodies", Item: { pk, ...part } }));
  }

  const score = scoreItems(someScore({ project_id: doomed.id, trace_id: randomUUID() }), {
    incarnation: "i",
    expiresAt: null,
  });
  for (const item of score) {
    await database.client.send(new PutCommand({ TableName: "scores", Item: { ...item, d: Buffer.from([250, 1]) } }));
  }

  const report = await scan();

  // The copy of the score that cannot be read is a stray, too, and the score itself.
  expect(report).toMatchObject({ unreadable: 3, strays: 3 });
  expect((await scanProgress(database, now).read()).running).toBeNull();
  expect(await isProved()).toBe(true);
  const left = (await itemsNaming(database, [kept.id, doomed.id])).filter(({ table }) => table === "bodies");
  expect(left.map(({ item }) => item["sk"]).toSorted()).toEqual([part.sk, "row"]);
});

test("a score that cannot be read does not keep its project from being removed", async () => {
  const { doomed, clock, now } = await waiting();
  const [score] = scoreItems(someScore({ project_id: doomed.id, trace_id: randomUUID() }), {
    incarnation: "i",
    expiresAt: null,
  });
  await database.client.send(new PutCommand({ TableName: "scores", Item: { ...score, d: Buffer.from([250, 1]) } }));
  await scanProgress(database, now).leave({ running: null, last: clock.at, sizes: {} });

  await erasing(database, { remove: async () => undefined }, now)(hour);

  expect((await itemsNaming(database, [doomed.id])).filter(({ table }) => table === "scores")).toEqual([]);
});

test("a large table is scanned in segments, and one of them that fails keeps what the others have done", async () => {
  const { now, doomed, scan, isProved } = await waiting();
  await strayRows(doomed.id, 120);
  const progress = scanProgress(database, now);
  await progress.leave({ running: null, last: null, sizes: { rows: 35_000 } });
  const segments = new Set<string>();
  let fails = true;
  const watched = faultyDatabase(database, ({ operation, input }) => {
    if (operation !== "Scan") return null;
    const [segment = "all", total = 1] = [input["Segment"], input["TotalSegments"]] as (number | undefined)[];
    segments.add(`${String(input["TableName"])} ${segment} of ${total}`);
    return fails && input["TableName"] === "rows" && input["Segment"] === 1 ? "server-error" : null;
  });

  await expect(scan(watched)).rejects.toThrow("Segments of rows that could not be read.");
  const broken = (await progress.read()).running?.places.map(({ done }) => done);
  fails = false;
  const left = await rowsNaming(doomed.id);
  segments.clear();
  const report = await scan(watched);

  expect(broken).toEqual([true, false, true]);
  expect([...segments].filter((each) => each.startsWith("rows"))).toEqual(["rows 1 of 3"]);
  expect(segments).toContain("bodies all of 1");
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(120);
  expect(report.strays).toBe(left);
  expect(await rowsNaming(doomed.id)).toBe(0);
  expect(await isProved()).toBe(true);
});

test("a scan that an earlier version has begun is gone on with where that was, whatever segments are noted", async () => {
  const { clock, now, doomed, scan } = await waiting();
  await strayRows(doomed.id, 20);
  const progress = scanProgress(database, now);
  const done = { from: undefined, done: true, pages: 1 };
  await progress.leave({ running: { begunAt: clock.at, table: "rows", places: [done, done] }, last: null, sizes: {} });
  const { Items = [] } = await database.client.send(new ScanCommand({ TableName: "rows" }));
  const at = Items.findIndex((item) => item["stray"] === true) + 5;
  const { pk, sk } = Items[at] ?? {};
  await database.client.send(
    new UpdateCommand({
      TableName: "access",
      Key: { pk: "storage-scan", sk: "progress" },
      UpdateExpression: "SET #from = :from",
      ExpressionAttributeNames: { "#from": "from" },
      ExpressionAttributeValues: { ":from": { pk, sk } },
    }),
  );
  const behind = Items.slice(at + 1).filter((item) => item["stray"] === true).length;

  const report = await scan();

  expect(behind).toBeGreaterThan(0);
  expect(report.strays).toBe(behind);
});

test("a run that no list leads to gives back what its worker reserved and did not spend, before it is removed", async () => {
  const { now, doomed, scan, isProved } = await waiting();
  const order = someOrder({ projectId: doomed.id, total: 1, createdAt: instantAt(now()) });
  await runCreation(database, now)(order, wholeTargets([randomUUID()]));
  const delivery = { project: doomed.id, run: order.id, slice: "a#0000", epoch: 1 };
  const ceilings = { run: null, project: null, organization: null, deployment: 100 };
  await spendStore(database, now).reserve({ ...delivery, spent: 0.25, want: 7, least: 1, ceilings });
  // As an index that lags hides it.
  await database.client.send(
    new UpdateCommand({
      TableName: "runs",
      Key: runKey(doomed.id, order.id),
      UpdateExpression: "REMOVE list_key, open_key",
    }),
  );
  const month = budgetName("deployment", {}, now());
  const reserved = await monthBooks(database, month);

  const report = await scan();

  expect(reserved).toMatchObject({ used: 7_000_000, open: 7_000_000 });
  expect(report.strays).toBeGreaterThan(0);
  expect(await monthBooks(database, month)).toEqual({ used: 0, booked: 0, open: 0, wrong: [] });
  expect(await isProved()).toBe(true);
});
