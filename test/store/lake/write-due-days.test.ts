import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endOfDay } from "../../../lib/domain/instant.ts";
import { erasePartition } from "../../../lib/dynamo/erase-items.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { dayWriter } from "../../../lib/lake/day-writer.ts";
import { eraseLakeFiles } from "../../../lib/lake/erase.ts";
import { exportDays, missingText } from "../../../lib/lake/export-days.ts";
import { folderStore } from "../../../lib/lake/folder.ts";
import { keysOfPart } from "../../../lib/lake/object-keys.ts";
import { parquetOf } from "../../../lib/lake/parquet.ts";
import { closingMilliseconds } from "../../../lib/lake/parts/day-parts-writer.ts";
import { sql } from "../../../lib/lake/sql.ts";
import { dueDayWriter } from "../../../lib/lake/write-due-days.ts";
import { lakeStarter } from "../../../lib/maintenance/start-lake.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { lakeChanges } from "../../../lib/store/lake/changes.ts";
import { closedDays } from "../../../lib/store/lake/closed-days.ts";
import { dueDays } from "../../../lib/store/lake/due-days.ts";
import { lakeManifests } from "../../../lib/store/lake/manifests.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { markLakeChanges } from "../../../lib/stream/lake-changes.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { temporaryFolder, testEngine } from "../../support/lake/lake.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { someTrace } from "../../support/traces/traces.ts";

const day = "2026-10-01";
const startedAt = `${day}T10:00:00+00:00`;
const [minute, hour] = [60_000, 3_600_000];
const database = quietDatabase();

/** A project of a day with a stream worker, and a writer that the sweeper would start. @param retentionDays 0 for unlimited retention. */
const setUp = async (retentionDays = 0) => {
  const [project, folder] = [randomUUID(), temporaryFolder()];
  await itemsOf(database(), "access").put(projectKey(project));
  // Those that other tests have left.
  for await (const _ of erasePartition(database(), "aggregates", "lake-due"));
  const engine = await testEngine(folder);
  const clock = { now: Date.parse(`${day}T12:00:00Z`) };
  const now = (): number => clock.now;
  const objects = folderStore(join(folder, "bucket"));
  const [due, changes] = [dueDays(database(), now), lakeChanges(database(), now)];
  const mark = markLakeChanges(closedDays(database(), now), changes, due, withoutDeletions, now);
  const traces = traceStore(database(), retentionDays, now);
  const writer = dayWriter(database(), objects, engine, folder, now);
  const manifest = () => lakeManifests(database(), now).get(project, day);
  const save = async (id: string = randomUUID(), name = "x"): Promise<string> => {
    await traces.save(project, someTrace({ trace_id: id, name, started_at: startedAt }));
    await mark([{ project, startedAt }]);
    return id;
  };
  const remove = async (id: string): Promise<void> => {
    await deleteTrace(database(), project, id);
    await mark([{ project, startedAt }]);
  };
  /** Keys of the project's objects. */
  const keys = async (): Promise<readonly string[]> =>
    (await objects.list("")).filter((key) => key.includes(project)).toSorted();
  /** Ids of the traces in the files that the manifest names, which must be all files of the project. */
  const ids = async (): Promise<readonly unknown[]> => {
    const { files = [], words = [] } = (await manifest()) ?? {};
    expect(await keys()).toEqual([...files.map(({ key }) => key), ...words.flatMap(keysOfPart)].toSorted());
    const paths = files.filter(({ table }) => table === "traces").map(({ key }) => join(folder, "bucket", key));
    return (await engine.rows(sql`SELECT trace_id FROM ${parquetOf(paths)} ORDER BY ALL`)).map(
      (row) => row["trace_id"],
    );
  };
  const write = dueDayWriter(database(), writer, now);
  const run = () => write(10 * minute);
  /** Gives the project as many traces as have files without being asked. */
  const grow = () =>
    traceCounts(database(), now).fold(
      "shard",
      Array.from({ length: 10_000 }, (_, index) => ({ project, expiry: "-", change: 1, sequence: BigInt(index + 1) })),
    );
  const days = () => exportDays(database(), now)(project, day, day, false);
  const target = { project, day };
  return { clock, days, due, folder, grow, ids, keys, manifest, objects, remove, run, save, target, write };
};

test("a day of a large project is closed an hour after its end and written 20 minutes later, without being asked", async () => {
  const { clock, due, grow, ids, run, save } = await setUp();
  const id = await save();
  await grow();
  expect([await due.isAny(), await run()]).toMatchObject([false, { days: 0 }]);
  clock.now = endOfDay(day) + hour - 1;
  expect(await due.isAny()).toBe(false);

  clock.now += minute;
  let starts = 0;
  const start = lakeStarter(due, async () => void (starts += 1));
  expect([await start(), starts]).toEqual([{ lakeStarted: true }, 1]);
  expect(await run()).toMatchObject({ written: 0 });
  expect([await start(), starts]).toEqual([{ lakeStarted: false }, 1]);
  clock.now += closingMilliseconds;

  expect(await run()).toMatchObject({ written: 1, failed: 0 });
  expect([await ids(), await due.isAny()]).toEqual([[id], false]);
});

test("a small project has no files until an export asks, and then at once: those of the moment, later those of the day", async () => {
  const { clock, days, due, ids, keys, manifest, run, save, target } = await setUp();
  const id = await save();
  clock.now = endOfDay(day) + 2 * hour;
  await run();
  expect([await keys(), await manifest()]).toEqual([[], null]);
  expect((await days()).map(missingText)).toEqual([expect.stringContaining("no files yet")]);

  await due.ask([target, target]);
  expect(await run()).toMatchObject({ days: 1, snapshots: 1 });
  expect(await days()).toMatchObject([{ status: "closing", isFresh: true, files: [{ rows: 1 }, { rows: 0 }] }]);
  const snapshots = await keys();
  expect(snapshots.every((key) => key.startsWith("snapshots/"))).toBe(true);
  clock.now += closingMilliseconds;
  await run();
  expect(await days()).toMatchObject([{ status: "closed", asOf: clock.now, files: [{ rows: 1 }, { rows: 0 }] }]);
  expect(await keys()).toEqual(expect.arrayContaining([...snapshots]));
  clock.now += 2 * hour;
  await run();

  expect(await ids()).toEqual([id]);
});

test("a day that is not over comes as a snapshot, and stays open", async () => {
  const { days, due, manifest, run, save, target } = await setUp();
  await save();
  await due.ask([target]);

  expect(await run()).toMatchObject({ snapshots: 1, written: 0 });

  expect(await days()).toMatchObject([{ status: "open", isFresh: true, files: [{ rows: 1 }, { rows: 0 }] }]);
  expect(await manifest()).toBeNull();
});

test("a deleted trace, and a late one, are told from the files until both are in them half a day later", async () => {
  const { clock, days, due, ids, remove, run, save, target } = await setUp();
  const [kept, gone] = [await save(), await save()].toSorted();
  clock.now = endOfDay(day) + 2 * hour;
  await due.ask([target]);
  await run();
  clock.now += closingMilliseconds;
  await run();
  clock.now += 3 * hour;
  await run();
  expect(await ids()).toEqual([kept, gone]);
  expect(await days()).toMatchObject([{ changes: 0, isFresh: true }]);

  await remove(gone ?? "");
  const late = await save();
  clock.now += 16 * minute;

  expect(await days()).toMatchObject([{ changes: 1, isComplete: false, isFresh: false }]);
  clock.now = endOfDay(day) + 13 * hour;
  expect(await run()).toMatchObject({ written: 1 });
  expect(await ids()).toEqual([kept, late].toSorted());
  expect(await days()).toMatchObject([{ changes: 0, isFresh: true }]);
});

test("the files of a day are proved by sums that are counted apart from them", async () => {
  const { clock, days, due, run, save, target } = await setUp();
  await save();
  clock.now = endOfDay(day) + 2 * hour;
  await due.ask([target]);
  await run();
  clock.now += closingMilliseconds;
  await run();
  expect(await days()).toMatchObject([{ isComplete: false, storedTraces: 0 }]);
  expect((await days()).map(missingText)).toEqual([expect.stringMatching(/1 traces in its files .* 0 are stored/u)]);

  await hourRollups(database(), () => clock.now).refresh({ project: target.project, hour: `${day}T10`, expiry: "-" });

  expect(await days()).toMatchObject([{ isComplete: true, storedTraces: 1 }]);
  expect((await days()).map(missingText)).toEqual([null]);
});

test("an expired trace leaves the files", async () => {
  const { clock, due, ids, manifest, run, save, target } = await setUp(30);
  await save();
  clock.now = endOfDay(day) + 2 * hour;
  const longer = await save();
  await due.ask([target]);
  await run();
  clock.now += closingMilliseconds;
  await run();
  clock.now += 12 * hour;
  await run();
  expect(await ids()).toHaveLength(2);

  clock.now = (await manifest())?.expiresAt ?? 0;
  expect(clock.now).toBe(Date.parse("2026-11-01T00:00:00Z"));
  clock.now += 12 * hour;
  await run();

  expect(await ids()).toEqual([longer]);
});

test("a due day is written by one of several workers, and again by another one if that one dies", async () => {
  const { clock, due, run, save, target } = await setUp();
  await save();
  clock.now = endOfDay(day) + 2 * hour;
  await due.ask([target]);
  const claims = await Promise.all([due.claim(), due.claim(), due.claim()]);
  const exportClaims = claims.filter((claim) => claim?.isAsked === true);
  expect(exportClaims).toHaveLength(1);
  await due.ask([target]);
  clock.now += 15 * minute;
  expect(await run()).toMatchObject({ days: 0 });

  clock.now += 2 * minute;

  expect(await run()).toMatchObject({ snapshots: 1 });
});

test("what a writer leaves that dies is deleted when it is old enough", async () => {
  const { clock, due, folder, ids, keys, manifest, objects, run, save, target } = await setUp();
  await save();
  clock.now = endOfDay(day) + 2 * hour;
  await due.ask([target]);
  await run();
  clock.now += closingMilliseconds;
  await run();
  await save();
  clock.now = endOfDay(day) + 13 * hour;
  await due.claim();
  const key = (await manifest())?.files[0]?.key ?? "";
  await objects.put(key.replace(/[^/]*$/u, `${clock.now}-dead.parquet`), join(folder, "bucket", key), "");

  clock.now += 17 * minute;
  expect(await run()).toMatchObject({ written: 1 });
  expect(await keys()).toHaveLength(4);
  clock.now += hour;
  await run();

  expect(await ids()).toHaveLength(2);
});

test("a day whose object was lost is written from its rows, and an erased project has no objects", async () => {
  const { clock, due, folder, ids, keys, manifest, objects, run, save, target } = await setUp();
  const id = await save();
  clock.now = endOfDay(day) + 2 * hour;
  await due.ask([target]);
  await run();
  clock.now += closingMilliseconds;
  await run();
  rmSync(join(folder, "bucket", (await manifest())?.files[0]?.key ?? ""));
  const late = await save();
  clock.now += 12 * hour;
  await run();
  expect(await ids()).toEqual([id, late].toSorted());

  const erased: unknown[] = [];
  for await (const count of eraseLakeFiles(objects)(target.project)) erased.push(count);

  expect([erased, await keys()]).toEqual([[1, 1, 1], []]);
});
