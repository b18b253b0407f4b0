import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { dayWriter } from "../../../lib/lake/day-writer.ts";
import { folderStore } from "../../../lib/lake/folder.ts";
import { parquetOf } from "../../../lib/lake/parquet.ts";
import { closingMilliseconds } from "../../../lib/lake/parts/day-parts-writer.ts";
import { sql } from "../../../lib/lake/sql.ts";
import { lakeChanges } from "../../../lib/store/lake/changes.ts";
import { dueDays } from "../../../lib/store/lake/due-days.ts";
import { closedDays } from "../../../lib/store/lake/closed-days.ts";
import { lakeManifests } from "../../../lib/store/lake/manifests.ts";
import { scoreKey } from "../../../lib/store/scores/keys.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { markLakeChanges } from "../../../lib/stream/lake-changes.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { temporaryFolder, testEngine } from "../../support/lake/lake.ts";
import { someScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";

const day = "2026-10-01";
const startedAt = `${day}T10:00:00+00:00`;
const minute = 60_000;
const database = quietDatabase();

/** A project with traces of a day that has ended, a stream worker and a writer. */
const setUp = async () => {
  const [project, folder] = [randomUUID(), temporaryFolder()];
  const engine = await testEngine(folder);
  const clock = { now: Date.parse(`${day}T00:00:00Z`) + 25 * 60 * minute };
  const now = (): number => clock.now;
  const manifests = lakeManifests(database(), now);
  const changes = lakeChanges(database(), now);
  const due = dueDays(database(), now);
  const mark = markLakeChanges(closedDays(database(), now), changes, due, withoutDeletions, now);
  const traces = traceStore(database(), 0, now);
  const bucket = join(folder, "bucket");
  const writer = dayWriter(database(), folderStore(bucket), engine, folder, now);
  const save = async (name: string, id: string = randomUUID()): Promise<string> => {
    await traces.save(project, someTrace({ trace_id: id, name, started_at: startedAt }));
    await mark([{ project, startedAt }]);
    return id;
  };
  /** @param isIndexed false for a score that the index by time lacks yet. */
  const score = async (trace_id: string, isIndexed = true): Promise<void> => {
    const at = instantAt(clock.now);
    const newScore = someScore({ project_id: project, trace_id, created_at: at, updated_at: at });
    await scoreCreation(database(), now).ofTrace(newScore);
    if (!isIndexed) await itemsOf(database(), "scores").update(scoreKey(project, newScore.id), "REMOVE time_key");
    await mark([{ project, startedAt }]);
  };
  /** Values of a column in the files that the manifest names. */
  const column = async (table: "traces" | "scores", name: "name" | "trace_id"): Promise<readonly unknown[]> => {
    const files = (await manifests.get(project, day))?.files ?? [];
    const paths = files.filter((file) => file.table === table).map(({ key }) => join(bucket, key));
    const rows = await engine.rows(sql`SELECT name, trace_id FROM ${parquetOf(paths)} ORDER BY ALL`);
    return rows.map((row) => row[name]);
  };
  const marked = async (): Promise<number> => (await changes.list(project, day)).length;
  const objects = () => folderStore(bucket).list("");
  return { clock, column, marked, objects, save, score, write: () => writer.write(project, day) };
};

test("a day is closed only when every stream worker knows it: what one did not mark is in the first files", async () => {
  const { clock, column, marked, save, write } = await setUp();
  await save("before");
  expect(await write()).toBe("closing");
  clock.now += minute / 2;
  expect(await write()).toBe("closing");
  await save("unmarked");
  expect(await marked()).toBe(0);

  clock.now += closingMilliseconds - minute / 2;
  expect(await write()).toBe("written");

  expect(await column("traces", "name")).toEqual(["before", "unmarked"]);
  await save("marked");
  expect(await marked()).toBe(1);
});

test("changes of a closed day are written in place of its files, and nothing is written without changes", async () => {
  const { clock, column, marked, objects, save, score, write } = await setUp();
  const id = await save("first");
  await write();
  clock.now += closingMilliseconds;
  await write();
  await save("renamed", id);
  await score(id);
  clock.now += 10 * minute;

  expect(await write()).toBe("written");
  expect([await column("traces", "name"), await column("scores", "trace_id")]).toEqual([["renamed"], [id]]);
  expect(await marked()).toBe(0);
  // At once: who reads a folder would count the traces of both generations.
  expect(await objects()).toHaveLength(2);
  expect(await write()).toBe("unchanged");
});

test("a score that the index lacked keeps its mark until a later pass has it", async () => {
  const { clock, column, marked, save, score, write } = await setUp();
  const id = await save("scored");
  await write();
  clock.now += closingMilliseconds;
  await score(id, false);
  expect(await write()).toBe("written");
  expect([await column("scores", "trace_id"), await marked()]).toEqual([[], 1]);

  clock.now += 10 * minute;
  expect(await write()).toBe("written");

  expect([await column("scores", "trace_id"), await marked()]).toEqual([[id], 0]);
});
