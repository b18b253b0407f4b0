import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endOfDay } from "../../../lib/domain/instant.ts";
import type { Position } from "../../../lib/domain/page.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { parseTextQuery } from "../../../lib/domain/traces/search/text-query.ts";
import { erasePartition } from "../../../lib/dynamo/erase-items.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { dayWriter } from "../../../lib/lake/day-writer.ts";
import { exportDays } from "../../../lib/lake/export-days.ts";
import { fileCopies } from "../../../lib/lake/file-copies.ts";
import { folderStore } from "../../../lib/lake/folder.ts";
import { keysOfPart } from "../../../lib/lake/object-keys.ts";
import { parquetOf } from "../../../lib/lake/parquet.ts";
import { sql } from "../../../lib/lake/sql.ts";
import { lakeWordIndex } from "../../../lib/lake/word-index.ts";
import { wordLookup } from "../../../lib/lake/word-lookup.ts";
import { dueDayWriter } from "../../../lib/lake/write-due-days.ts";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { lakeChanges } from "../../../lib/store/lake/changes.ts";
import { closedDays } from "../../../lib/store/lake/closed-days.ts";
import { dueDays } from "../../../lib/store/lake/due-days.ts";
import { lakeManifests } from "../../../lib/store/lake/manifests.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { textSearch } from "../../../lib/store/traces/search/search.ts";
import { markLakeChanges } from "../../../lib/stream/lake-changes.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { temporaryFolder, testEngine } from "../../support/lake/lake.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { someTrace } from "../../support/traces/traces.ts";

const day = "2026-10-01";
const minute = 60_000;
const database = quietDatabase();
const at = (text: string): string => `${day}T${text}:00+00:00`;
const time = (text: string): number => Date.parse(at(text));

/** A large project of an open day whose hours get an index from two traces on, and a search that begins with the day's last instant. */
const setUp = async (maxTraces = 100) => {
  const [project, folder] = [randomUUID(), temporaryFolder()];
  await itemsOf(database(), "access").put(projectKey(project));
  for await (const _ of erasePartition(database(), "aggregates", "lake-due"));
  const engine = await testEngine(folder);
  const clock = { now: time("09:05") };
  const now = (): number => clock.now;
  const objects = folderStore(join(folder, "bucket"));
  await traceCounts(database(), now).fold(
    "shard",
    Array.from({ length: 10_000 }, (_, index) => ({ project, expiry: "-", change: 1, sequence: BigInt(index + 1) })),
  );
  const [due, changes, hours] = [dueDays(database(), now), lakeChanges(database(), now), hourRollups(database(), now)];
  const mark = markLakeChanges(closedDays(database(), now), changes, due, withoutDeletions, now);
  const stale = new Set<string>();
  const follow = async (startedAt: string): Promise<void> => {
    await mark([{ project, startedAt }]);
    stale.add(startedAt.slice(0, 13));
  };
  const lookUp = wordLookup(fileCopies(objects, join(folder, "copies")), engine);
  const search = textSearch(database(), newestValues(database(), "trace", now), lakeWordIndex(database(), lookUp), now);
  const writer = dayWriter(database(), objects, engine, folder, now);
  const write = dueDayWriter(database(), writer, now, { minIndexed: 2, maxTraces });
  const manifest = () => lakeManifests(database(), now).get(project, day);
  const parts = async () => (await manifest())?.words ?? [];
  return {
    due,
    project,
    changes: () => changes.list(project, day),
    days: () => exportDays(database(), now)(project, day, day, false),
    manifest,
    mark: (startedAt: string, kind: "traces" | "scores") => mark([{ project, startedAt }], kind),
    parts,
    remove: async (id: string, startedAt: string): Promise<void> => {
      await deleteTrace(database(), project, id);
      await follow(startedAt);
    },
    /** Sums hours up and runs the writer, at a time of the day. */
    runAt: async (at: number): Promise<unknown> => {
      clock.now = at;
      for (const hour of stale) await hours.refresh({ project, hour, expiry: "-" });
      stale.clear();
      return await write(10 * minute);
    },
    save: async (startedAt: string, input: string, id: string = randomUUID()): Promise<string> => {
      const trace = someTrace({ trace_id: id, name: input, input, output: null, spans: [], started_at: startedAt });
      await traceStore(database(), 0, now).save(project, trace);
      await follow(startedAt);
      return id;
    },
    /** Names that a search of the traces before an instant finds, the number of documents it read, and whether it asked the index. */
    search: async (q: string, to = at("23:59")) => {
      const [filter, terms] = [traceFilter({ date_to: to }), parseTextQuery(q).terms];
      const names: string[] = [];
      let [documents, isIndexed] = [0, false];
      let after: Position | null = null;
      do {
        const page = await search(project, terms, { filter, limit: 1, offset: 0, after });
        names.push(...page.rows.map(({ name }) => name));
        documents += page.searched.documents;
        isIndexed ||= page.searched.indexed_days > 0;
        after = page.last;
      } while (after !== null);
      return [names, documents, isIndexed];
    },
    /** Words in the files of the index, which must be all objects of the project's words. */
    words: async (): Promise<readonly unknown[]> => {
      const keys = (await parts()).flatMap(keysOfPart);
      expect((await objects.list(`words/project=${project}`)).toSorted()).toEqual(keys.toSorted());
      const paths = keys.map((key) => join(folder, "bucket", key));
      return (await engine.rows(sql`SELECT word FROM ${parquetOf(paths)} ORDER BY ALL`)).map(({ word }) => word);
    },
  };
};

test("hours of an open day are found by an index half an hour after they are over, and what changes in them as it is", async () => {
  const { changes, days, due, manifest, mark, project, remove, runAt, save, search, words } = await setUp();
  const gone = await save(at("08:10"), "alpha one");
  const changed = await save(at("08:20"), "alpha two");
  await save(at("08:30"), "beta");
  for (let saved = 0; saved < 2; saved += 1) await save(at("09:00"), "beta now");
  expect(await runAt(time("09:09"))).toMatchObject({ days: 0 });
  // The hour is closed at ten past, and 20 minutes later each stream worker knows.
  expect(await runAt(time("09:10"))).toMatchObject({ days: 1 });
  expect(await runAt(time("09:29"))).toMatchObject({ days: 0 });
  await due.ask([{ project, day }]);
  expect(await runAt(time("09:29"))).toMatchObject({ snapshots: 1 });
  expect(await search("alpha")).toEqual([["alpha two", "alpha one"], 5, false]);
  expect(await runAt(time("09:30"))).toMatchObject({ days: 1, failed: 0 });
  expect(await words()).toEqual(["alpha", "alpha", "beta", "one", "two"]);
  expect(await search("alpha", at("08:59"))).toEqual([["alpha two", "alpha one"], 2, true]);
  expect(await search("beta")).toMatchObject([["beta now", "beta now", "beta"], {}, true]);
  expect([(await manifest())?.end, await days()]).toMatchObject([at("09:00"), [{ status: "open" }]]);

  await runAt(time("09:50"));
  await remove(gone, at("08:10"));
  await save(at("08:20"), "gamma", changed);
  await save(at("08:40"), "late gamma");
  await mark(at("08:30"), "scores");

  expect((await changes()).map(({ startedAt }) => startedAt)).toEqual([at("08:10"), at("08:20"), at("08:40")]);
  expect(await search("alpha", at("08:59"))).toEqual([[], 2, true]);
  expect(await search("gamma", at("08:59"))).toEqual([["late gamma", "gamma"], 2, true]);
  // The next pass takes the words of what has gone.
  expect(await words()).toContain("one");
  await runAt(time("13:00"));
  expect(await words()).toEqual(["beta", "gamma", "gamma", "late"]);
  expect(await changes()).toEqual([]);
  expect(await search("gamma", at("08:59"))).toEqual([["late gamma", "gamma"], 2, true]);
});

test("the index of an open day goes on by the hour, stays when the day is closed, and has then what has changed", async () => {
  const { changes, days, parts, remove, runAt, save, search, words } = await setUp();
  await save(at("08:10"), "alpha");
  await save(at("08:20"), "beta");
  for (const text of ["09:10", "09:30"]) await runAt(time(text));
  await save(at("08:30"), "sent late");
  await save(at("09:10"), "alpha next");
  // One more trace is too few for a further part.
  for (const text of ["10:10", "10:30"]) await runAt(time(text));
  expect(await parts()).toMatchObject([{ from: at("00:00"), to: at("09:00") }]);
  const other = await save(at("10:10"), "beta next");
  for (const text of ["11:10", "11:30"]) await runAt(time(text));
  const open = await parts();
  expect(open).toMatchObject([{ to: at("09:00") }, { from: at("09:00"), to: at("11:00") }]);
  // What has changed in earlier hours stays marked.
  expect((await changes()).map(({ startedAt }) => startedAt)).toEqual([at("08:30")]);
  await save(at("13:10"), "last");
  await remove(other, at("10:10"));

  await runAt(endOfDay(day) + 60 * minute);
  expect(await days()).toMatchObject([{ status: "closing" }]);
  expect(await search("next alpha", at("10:59"))).toEqual([["alpha next"], 2, true]);
  await runAt(endOfDay(day) + 80 * minute);

  expect(await days()).toMatchObject([{ status: "closed", isComplete: true }]);
  const closed = await parts();
  expect(closed).toMatchObject([{ to: at("09:00") }, { to: at("11:00") }, { from: at("11:00") }]);
  expect(await words()).toEqual(["alpha", "alpha", "beta", "last", "late", "next", "sent"]);
  expect(await search("beta")).toEqual([["beta"], 1, true]);
});

test("a day with too many traces for files has an index to its end, from which deleted words go as from others", async () => {
  const { changes, manifest, parts, remove, runAt, save, search, words } = await setUp(3);
  const ids = await Promise.all(["alpha", "beta", "gamma", "delta", "delta"].map((name) => save(at("08:10"), name)));
  for (const minutes of [60, 80]) await runAt(endOfDay(day) + minutes * minute);
  expect(await manifest()).toMatchObject({ end: "2026-10-02T00:00:00+00:00", files: [] });
  expect(await parts()).toHaveLength(1);
  expect(await search("beta")).toEqual([["beta"], 5, true]);

  await runAt(endOfDay(day) + 120 * minute);
  await remove(ids[1] ?? "", at("08:10"));
  expect(await changes()).toHaveLength(1);
  await runAt(endOfDay(day) + 13 * 60 * minute);

  expect(await words()).toEqual(["alpha", "delta", "gamma"]);
  expect(await changes()).toEqual([]);
});
