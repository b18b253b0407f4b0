import { offsetPage } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { projectErasers } from "../../../lib/deletion/erase-project.ts";
import { deletionEraser } from "../../../lib/deletion/erase-deleted.ts";
import { storageScan } from "../../../lib/deletion/scan-storage.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { userStore } from "../../../lib/store/access/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { runWriters } from "../pipeline/run-writers.ts";
import { datasetWriters } from "../ingest/dataset-writers.ts";
import { labelWriters } from "../ingest/label-writers.ts";
import { traceWriters, type WriteOperation } from "../ingest/trace-writers.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

/** All functions that write items of a project. */
const writers = Object.values({ ...traceWriters, ...datasetWriters, ...labelWriters, ...runWriters });

const schedules = { remove: async (): Promise<void> => {} };

const newProject = async () => {
  const [owner, id] = [randomUUID(), randomUUID()];
  await userStore(database).signIn({ userId: owner, email: `${owner}@example.com`, displayName: null });
  const organization = await organizationStore(database).create(id, "Acme", owner, 5);
  if (organization === null) throw new Error("The user owns too many.");
  const project = await accessStore(database, 10).findOrCreateProject(id, "doomed");
  return { owner, organization, project };
};

/** Kind of an item: its key with the variable parts replaced, as random ids may resemble words. */
const kindOf = (table: string, pk: unknown, sk: unknown): string => {
  const shape = (part: unknown): string =>
    part instanceof Uint8Array
      ? `${part.length} bytes`
      : String(part)
          .replace(/(?<=^(?:slice|part|marks)#)[^#]+/u, "*")
          .split("#")
          .map((word) => (/^(?:(?!base$)[a-z]+(?:-[a-z]+)*)$/u.test(word) ? word : "*"))
          .join("#");
  return `${table} ${shape(pk)} / ${shape(sk)}`;
};

const keyOf = (part: unknown): string =>
  part instanceof Uint8Array ? Buffer.from(part).toString("hex") : String(part);

/** Kinds of the items that name a project, by key; a changed item keeps its entry. */
const itemsOfProject = async (project: string): Promise<ReadonlyMap<string, string>> => {
  const items = await itemsNaming(database, [project]);
  return new Map(
    items.map(({ table, item: { pk, sk } }) => [`${table} ${keyOf(pk)} ${keyOf(sk)}`, kindOf(table, pk, sk)]),
  );
};

/**
 * Runs an operation that crashes at call number `line`, counted from 1.
 * @returns false when the operation makes fewer calls.
 */
const crashAtCall = async (act: WriteOperation, line: number): Promise<boolean> => {
  let call = 0;
  const crashingDatabase = faultyDatabase(database, () => {
    call += 1;
    // Requests of batches and on indexes call this function twice.
    return call >= line ? "crash-before" : null;
  });
  await act(crashingDatabase).catch(() => undefined);
  return crashingDatabase.crashed;
};

/**
 * Runs an operation and pauses it at call number `line`.
 * @returns a function that resumes the operation; null when it has ended.
 */
const pauseAtCall = async (act: WriteOperation, line: number): Promise<(() => Promise<void>) | null> => {
  let call = 0;
  const pause = pausePoint();
  const slow = faultyDatabase(database, async () => {
    call += 1;
    if (call === line) await pause.pass();
    return null;
  });
  const end = act(slow).then(
    () => true,
    () => true,
  );
  const stopped = await Promise.race([pause.reached.then(() => true), end.then(() => false)]);
  if (!stopped) return null;
  return async () => {
    pause.open();
    await end;
  };
};

/**
 * The step of a deletion that removes each kind of item: an eraser by its name in a receipt, a later pass that waits
 * for a writer to end, the scan of the tables, or the end of the deletion. A new kind of item needs an entry here.
 */
const finderOf = {
  "aggregates *#hours / *#*#*": "aggregates",
  "aggregates *#latest / *#*": "aggregates",
  "aggregates *#segments / *": "aggregates",
  "aggregates *#segments / *#*": "aggregates",
  "aggregates *#session-scores / *#*#*": "aggregates",
  "aggregates *#trace-scores / *#*#*": "aggregates",
  "aggregates *#traces / total#other": "aggregates",
  "aggregates *#traces / total#shard": "aggregates",
  "aggregates pending#hours / *#*#*": "aggregates",
  // Parts left by a writer that crashed before it wrote the row, or after the row was replaced.
  "bodies *#* / part#*#*": "traces, the scan",
  "bodies *#* / row": "traces, the scan",
  "monitors *#dataset#*#* / entry#*": "datasets",
  "monitors *#dataset#*#* / item#*#*": "datasets",
  "monitors *#dataset-items#* / *#*": "datasets",
  "monitors *#datasets / count": "datasets",
  "monitors *#datasets / dataset#*": "datasets",
  "monitors *#datasets / name#*": "datasets",
  "monitors *#label-set#* / items#*": "labels",
  "monitors *#label-set#* / label#*#*": "labels",
  "monitors *#label-sets / count": "labels",
  "monitors *#label-sets / set#*": "labels",
  // Firings of existing and of deleted monitors.
  "monitors *#monitor#* / firing#*": "monitors, the scan",
  "monitors *#monitor#* / marks#*": "monitors, the scan",
  "monitors *#monitor#* / monitor": "monitors",
  "monitors *#monitors / count": "monitors",
  // The yearly lists of days, and the tombstones of sessions.
  "rows 16 bytes / 3 bytes": "the end",
  "rows 16 bytes / 17 bytes": "the end",
  // Rows, and the tombstones that replace them.
  "rows 19 bytes / 24 bytes": "traces",
  // More items may follow from a run that is being created, and the worker of a run that has just ended may still
  // report its spending.
  "runs *#run#* / run": "a later pass",
  "runs *#run#* / slice#*#*": "runs, a later pass",
  "runs *#turn / project#*": "runs",
  "runs *#turn / run#*": "runs",
  "runs *#turn / turn": "runs",
  "scores *#score#* / score": "scores",
  "scores *#session#* / *#*": "scores",
  "scores *#session-score#* / score": "scores",
  "scores *#trace#* / *#*": "scores",
  "spend *#month#*#* / shard": "spend",
  "spend *#run#* / slice#*#*": "a later pass",
  "spend *#run#*#* / shard": "a later pass",
};

test("every kind of item that a project can leave, also after crashed writers, is removed by an eraser or the scan", async () => {
  const { owner, project } = await newProject();
  let deaths = 0;
  for (const prepare of writers) {
    for (let line = 1; await crashAtCall(await prepare(database, project.id), line); line += 2) deaths += 1;
  }
  await deletionRequests(database).ofProject(project, owner);
  let at = Date.now();
  const finders = new Map<string, Set<string>>();
  let remainingItems = await itemsOfProject(project.id);
  const attribute = async (finder: string): Promise<void> => {
    const now = await itemsOfProject(project.id);
    for (const [key, kind] of remainingItems) {
      if (now.has(key) || kind.startsWith("access ")) continue;
      finders.set(kind, (finders.get(kind) ?? new Set()).add(finder));
    }
    remainingItems = now;
  };

  for (const [name, erase] of projectErasers(database, schedules, { requestedAt: instantAt(at) }, () => at)) {
    for await (const _ of erase(project.id));
    await attribute(name);
  }
  const [erase, scan] = [deletionEraser(database, schedules, () => at), storageScan(database, () => at)];
  const receipt = async () =>
    (await deletionStore(database, () => at).ofOrganization(project.organizationId, offsetPage(1, 0))).items[0];
  for (let turn = 0; turn < 3; turn += 1) {
    await erase(60_000);
    at += proofMilliseconds;
  }
  await attribute("a later pass");
  await scan(60_000);
  await attribute("the scan");
  const unprovedReceipt = await receipt();
  for (let turn = 0; turn < 2; turn += 1) {
    at += proofMilliseconds;
    await scan(60_000);
    await erase(60_000);
  }
  await attribute("the end");

  expect(Object.fromEntries([...finders].map(([kind, finderNames]) => [kind, [...finderNames].join(", ")]))).toEqual(
    finderOf,
  );
  expect([...remainingItems.values()].filter((kind) => !kind.startsWith("access "))).toEqual([]);
  expect([unprovedReceipt, await receipt()].map((each) => typeof each?.provedAt)).toEqual(["object", "string"]);
  expect(deaths).toBeGreaterThan(40);
});

/** Number of the first interrupted call; every third call is interrupted, starting at a random one. */
const firstLine = 1 + (freshSeed() % 3);

test(`no item is left when a deletion is proved, whatever was being written when it began (from call ${firstLine})`, async () => {
  const { owner, project } = await newProject();
  const pausedWriters: (() => Promise<void>)[] = [];
  for (const prepare of writers) {
    for (let line = firstLine; ; line += 3) {
      const resume = await pauseAtCall(await prepare(database, project.id), line);
      if (resume === null) break;
      pausedWriters.push(resume);
    }
  }
  let at = Date.now();
  const [erase, scan] = [deletionEraser(database, schedules, () => at), storageScan(database, () => at)];
  const receipt = async () =>
    (await deletionStore(database, () => at).ofOrganization(project.organizationId, offsetPage(1, 0))).items[0];

  const isFirstRequestNew = await deletionRequests(database).ofProject(project, owner);
  const isSecondRequestNew = await deletionRequests(database).ofProject(project, owner);
  for (const [index, resume] of pausedWriters.entries()) {
    if (index % 3 === 1) await erase(60_000);
    await resume();
  }
  let passes = 0;
  for (; (await receipt())?.provedAt === null && passes < 20; passes += 1) {
    await erase(60_000);
    await scan(60_000);
    at += proofMilliseconds;
  }

  expect([isFirstRequestNew, isSecondRequestNew]).toEqual([true, false]);
  expect(pausedWriters.length).toBeGreaterThan(25);
  expect((await receipt())?.provedAt).not.toBeNull();
  expect([...(await itemsOfProject(project.id)).values()].filter((kind) => !kind.startsWith("access "))).toEqual([]);
});
