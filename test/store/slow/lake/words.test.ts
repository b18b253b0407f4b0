import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dayOf, instantAt } from "../../../../lib/domain/instant.ts";
import type { Position } from "../../../../lib/domain/page.ts";
import { traceFilter, type TraceFilters } from "../../../../lib/domain/traces/filter.ts";
import { parseTextQuery } from "../../../../lib/domain/traces/search/text-query.ts";
import { dayWriter } from "../../../../lib/lake/day-writer.ts";
import { fileCopies } from "../../../../lib/lake/file-copies.ts";
import { folderStore } from "../../../../lib/lake/folder.ts";
import { keysOfPart } from "../../../../lib/lake/object-keys.ts";
import { parquetOf } from "../../../../lib/lake/parquet.ts";
import { closingMilliseconds } from "../../../../lib/lake/parts/day-parts-writer.ts";
import { sql } from "../../../../lib/lake/sql.ts";
import { lakeWordIndex } from "../../../../lib/lake/word-index.ts";
import { wordLookup } from "../../../../lib/lake/word-lookup.ts";
import { lakeChanges } from "../../../../lib/store/lake/changes.ts";
import { closedDays } from "../../../../lib/store/lake/closed-days.ts";
import { dueDays } from "../../../../lib/store/lake/due-days.ts";
import { lakeManifests } from "../../../../lib/store/lake/manifests.ts";
import { newestValues } from "../../../../lib/store/scores/newest/values.ts";
import { traceStore } from "../../../../lib/store/traces/save.ts";
import { textSearch } from "../../../../lib/store/traces/search/search.ts";
import { markLakeChanges } from "../../../../lib/stream/lake-changes.ts";
import { quietDatabase } from "../../../support/database/quiet-database.ts";
import { withoutDeletions } from "../../../support/database/without-deletions.ts";
import { temporaryFolder, testEngine } from "../../../support/lake/lake.ts";
import { seeded } from "../../../support/random.ts";
import { someWords, textsMatch, written } from "../../../support/search/reference.ts";
import { deleteTrace } from "../../../support/traces/delete-trace.ts";
import { saveTraces } from "../../../support/traces/save-traces.ts";
import { someTrace } from "../../../support/traces/traces.ts";
import { freshSeed } from "../../../support/vitest/fresh-seed.ts";

const [minute, hour] = [60_000, 3_600_000];
const database = quietDatabase();
const days = ["2026-10-01", "2026-10-02"] as const;
const openDay = "2026-10-03";
/** Filters with which a search begins with a closed day, and not with the newest rows. */
const closedDaysOnly: TraceFilters = { date_to: "2026-10-03T00:00:00+00:00" };
const at = (day: string, index: number): string => instantAt(Date.parse(`${day}T00:00:00Z`) + index * minute);

/** A project with a stream worker, a writer of files, and searches with and without the index of words. */
const setUp = async (retentionDays = 0) => {
  const [project, folder] = [randomUUID(), temporaryFolder()];
  const engine = await testEngine(folder);
  const clock = { now: Date.parse("2026-10-03T12:00:00Z") };
  const now = (): number => clock.now;
  const objects = folderStore(join(folder, "bucket"));
  const [changes, due] = [lakeChanges(database(), now), dueDays(database(), now)];
  const mark = markLakeChanges(closedDays(database(), now), changes, due, withoutDeletions, now);
  const writer = dayWriter(database(), objects, engine, folder, now);
  const lookups = { count: 0, isDown: false };
  const lookUp = wordLookup(fileCopies(objects, join(folder, "copies")), engine);
  const index = lakeWordIndex(database(), async (lookup) => {
    lookups.count += 1;
    if (lookups.isDown) throw new Error("There is no answer.");
    return await lookUp(lookup);
  });
  const scores = newestValues(database(), "trace", now);
  const searches = [textSearch(database(), scores, index, now), textSearch(database(), scores, null, now)] as const;
  const manifest = (day: string) => lakeManifests(database(), now).get(project, day);
  return {
    changes,
    clock,
    engine,
    folder,
    lookups,
    mark,
    objects,
    project,
    writer,
    manifest,
    save: async (name: string, startedAt: string, input: string, id: string = randomUUID()): Promise<string> => {
      const trace = someTrace({ trace_id: id, name, input, output: null, spans: [], started_at: startedAt });
      await traceStore(database(), retentionDays, now).save(project, trace);
      await mark([{ project, startedAt }]);
      return id;
    },
    /** Writes the index of the open day before an instant. */
    indexOpen: async (end: string): Promise<void> => {
      const step = (next: string | null) => writer.index({ project, day: openDay }, Infinity, async () => next);
      expect(await step(end)).toBe(clock.now + closingMilliseconds);
      clock.now += closingMilliseconds;
      expect(await step(null)).toBeNull();
    },
    /** Closes the days and writes their indexes. */
    close: async (until = Infinity): Promise<void> => {
      for (const day of days) expect(await writer.write(project, day)).toBe("closing");
      clock.now += closingMilliseconds;
      for (const day of days) expect(await writer.write(project, day)).toBe("written");
      for (const day of days) expect(await writer.addParts(project, day, until, false)).toBe(until > clock.now);
    },
    /** Names that all pages of a search have, and numbers of documents and indexed days that it read. */
    search: async (q: string, isIndexed = true, { filters = closedDaysOnly, limit = 50 } = {}) => {
      const search = isIndexed ? searches[0] : searches[1];
      const names: string[] = [];
      let [documents, indexedDays] = [0, 0];
      let after: Position | null = null;
      do {
        const request = { filter: traceFilter(filters), limit, offset: 0, after };
        const page = await search(project, parseTextQuery(q).terms, request);
        names.push(...page.rows.map(({ name }) => name));
        documents += page.searched.documents;
        indexedDays += page.searched.indexed_days;
        after = page.last;
      } while (after !== null);
      return { names, documents, indexedDays };
    },
  };
};

test("with an index the same traces are found in the same order, in any script and page by page", async () => {
  const seed = Number(process.env["SEARCH_SEED"] ?? freshSeed());
  const random = seeded(seed);
  const { close, indexOpen, lookups, project, search } = await setUp();
  const traces = Array.from({ length: 150 }, (_, index) => {
    const texts = Array.from({ length: 2 }, () => someWords(random, 8));
    const [input, output] = texts.map((words) => written(random, words));
    // Some start at the same instant, some at midnight, and some on the open day.
    const startedAt = at(random.pick([...days, openDay]), random.below(4) * random.below(100));
    const nested = random.chance(0.3) ? JSON.stringify({ input }) : (input ?? "");
    return {
      texts,
      trace: someTrace({ name: String(index), started_at: startedAt, input: nested, output: output ?? "", spans: [] }),
    };
  });
  await saveTraces(
    database(),
    project,
    traces.map(({ trace }) => trace),
  );
  await close();
  const openStarts = traces.map(({ trace }) => trace.started_at).filter((start) => start > at(openDay, 0));
  await indexOpen(random.pick([at(openDay, 100), ...openStarts]));
  for (let query = 0; query < 40; query += 1) {
    const phrases = Array.from({ length: 1 + random.below(2) }, () => someWords(random, 3));
    const q = phrases.map((phrase) => `"${written(random, phrase)}"`).join(" ");
    const options: { readonly limit: number; readonly filters: TraceFilters } = {
      limit: 1 + random.below(10),
      filters: random.pick<TraceFilters>([
        {},
        { date_from: at(days[0], 30), date_to: at(days[1], 60) },
        { date_to: random.pick([at(openDay, 300), ...openStarts]) },
      ]),
    };
    const { date_from: from = "", date_to: to = "9" } = options.filters;
    const isExpected = ({ texts, trace: { started_at: startedAt } }: (typeof traces)[number]): boolean =>
      startedAt >= from && startedAt < to && textsMatch(texts, phrases);
    const { names } = await search(q, true, options);

    expect(names, `SEARCH_SEED=${seed}: ${q}`).toEqual((await search(q, false, options)).names);
    expect(names.toSorted(), `SEARCH_SEED=${seed}: ${q}`).toEqual(
      traces
        .filter(isExpected)
        .map(({ trace }) => trace.name)
        .toSorted(),
    );
  }
  expect(lookups.count).toBeGreaterThan(40);
});

test("of an indexed day only documents that have the words are read", async () => {
  const { close, project, search } = await setUp();
  const traces = Array.from({ length: 2_400 }, (_, index) =>
    someTrace({
      name: String(index),
      started_at: at(days[index % 2] ?? "", Math.floor(index / 2)),
      user_id: String(index),
      input: `word${index} common`,
    }),
  );
  await saveTraces(database(), project, traces);
  await close();
  expect(await search("word17 common")).toEqual({ names: ["17"], documents: 1, indexedDays: 2 });
  expect(await search("word17 common", false)).toEqual({ names: ["17"], documents: 2_400, indexedDays: 0 });
  expect(await search("word17 absent")).toMatchObject({ names: [], documents: 0 });
  // More than one lookup returns, of which a filter leaves the oldest.
  expect((await search("common", true, { filters: { ...closedDaysOnly, user_id: "0" } })).names).toEqual(["0"]);
  expect((await search("common")).names).toEqual((await search("common", false)).names);
});

test("a trace that was changed, sent late or deleted is found as it is, before and after its day is written again", async () => {
  const { changes, clock, close, manifest, mark, objects, project, save, search, writer } = await setUp();
  const [first, second] = [at(days[0], 1), at(days[0], 2)];
  const gone = await save("gone", first, "alpha");
  await save("other", second, "alpha");
  await save("next day", at(days[1], 1), "beta");
  await close();
  const before = await objects.list("");

  await deleteTrace(database(), project, gone);
  await mark([{ project, startedAt: first }]);
  await save("late", first, "alpha gamma");
  for (const startedAt of [first, second]) await mark([{ project, startedAt }], "scores");

  const results = async () =>
    (await Promise.all(["alpha", "gamma", "beta"].map((q) => search(q)))).map((each) => each.names);
  expect(await results()).toEqual([["other", "late"], ["late"], ["next day"]]);
  expect((await changes.list(project, days[0])).map(({ scoresOnly }) => scoresOnly)).toEqual([false, true]);
  const index = await manifest(days[0]);
  clock.now += hour;
  expect(await writer.write(project, days[0])).toBe("written");
  expect(await results()).toEqual([["other", "late"], ["late"], ["next day"]]);
  expect(await search("gamma")).toMatchObject({ documents: 1 });
  const after = await objects.list("");
  expect(after).toHaveLength(before.length);
  expect((await manifest(days[0]))?.words).not.toEqual(index?.words);
  // Scores alone leave the index as it is.
  await mark([{ project, startedAt: second }], "scores");
  const unchanged = (await manifest(days[0]))?.words;
  clock.now += hour;
  expect(await writer.write(project, days[0])).toBe("written");
  expect((await manifest(days[0]))?.words).toEqual(unchanged);
  expect(await objects.list("")).toEqual(expect.arrayContaining((unchanged ?? []).flatMap(keysOfPart)));
  expect(await search("gamma")).toEqual({ names: ["late"], documents: 1, indexedDays: 2 });
});

test("a day with many changed instants is searched step by step, in the same order", async () => {
  const { close, lookups, mark, project, save, search } = await setUp();
  const starts = Array.from({ length: 450 }, (_, index) => at(days[0], index));
  for (const [index, startedAt] of starts.entries())
    await save(String(index), startedAt, index % 90 === 0 ? "rare" : "x");
  await close();
  await mark(starts.map((startedAt) => ({ project, startedAt })));

  const { names, indexedDays } = await search("rare");

  expect(names).toEqual(["360", "270", "180", "90", "0"]);
  // The other day, and three steps of 200 instants.
  expect([lookups.count, indexedDays]).toEqual([4, 2]);
});

test("a day without the whole index, and one whose index cannot be asked, are searched by documents", async () => {
  const { clock, close, lookups, project, save, search, writer } = await setUp();
  await save("one", at(days[0], 1), "alpha");
  await save("two", at(days[1], 1), "alpha");
  await close(0);
  expect([await search("alpha"), lookups.count]).toEqual([{ names: ["two", "one"], documents: 2, indexedDays: 0 }, 0]);

  for (const day of days) expect(await writer.addParts(project, day, clock.now + minute, false)).toBe(true);
  lookups.isDown = true;

  expect(await search("alpha")).toEqual({ names: ["two", "one"], documents: 2, indexedDays: 0 });
  expect(lookups.count).toBeGreaterThan(0);
});

test("words of expired traces leave the index", async () => {
  const { clock, close, engine, folder, manifest, project, save, writer } = await setUp(30);
  await save("short", at(days[0], 1), "alpha");
  clock.now += 3 * 24 * hour;
  await save("longer", at(days[0], 2), "beta");
  await save("other day", at(days[1], 2), "beta");
  await close();
  const words = async () => {
    const parts = (await manifest(days[0]))?.words ?? [];
    const files = parts.flatMap(({ key }) => join(folder, "bucket", `${key}-0.parquet`));
    return (await engine.rows(sql`SELECT word FROM ${parquetOf(files)} ORDER BY ALL`)).map(({ word }) => word);
  };
  expect(await words()).toEqual(["alpha", "beta"]);

  clock.now = Date.parse("2026-11-03T00:00:00Z");
  expect(dayOf(instantAt(clock.now))).toBe("2026-11-03");
  expect(await writer.write(project, days[0])).toBe("written");

  expect(await words()).toEqual(["beta"]);
});
