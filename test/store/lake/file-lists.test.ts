import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { figureBuckets, topModels, usageBuckets } from "../../../lib/domain/analytics/trace-analytics.ts";
import { instantAt, type Instant } from "../../../lib/domain/instant.ts";
import type { Position } from "../../../lib/domain/page.ts";
import type { IdentifiedSpan } from "../../../lib/domain/traces/input.ts";
import { splitSessionFilters, type SessionListFilters } from "../../../lib/domain/sessions/filter.ts";
import { sessionSortColumns } from "../../../lib/domain/sessions/session.ts";
import type { TraceFilters } from "../../../lib/domain/traces/filter.ts";
import { traceSortColumns } from "../../../lib/domain/traces/sort.ts";
import { userSortColumns, type UserSortColumn } from "../../../lib/domain/traces/user-summary.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { dayWriter } from "../../../lib/lake/day-writer.ts";
import { sha256Of } from "../../../lib/lake/checksum.ts";
import { fileCopies } from "../../../lib/lake/file-copies.ts";
import { lakeFileDays } from "../../../lib/lake/file-days.ts";
import { folderStore } from "../../../lib/lake/folder.ts";
import { parquetOf } from "../../../lib/lake/parquet.ts";
import { sql, Sql } from "../../../lib/lake/sql.ts";
import { type SessionLookup, sessionLookup } from "../../../lib/lake/sessions/session-lookup.ts";
import { sumLookup, type SumLookup } from "../../../lib/lake/sum-lookup.ts";
import { type TargetLookup, targetLookup } from "../../../lib/lake/target-lookup.ts";
import { traceLookup, type TraceLookup } from "../../../lib/lake/trace-lookup.ts";
import { filteredAnalytics } from "../../../lib/store/hours/filtered-analytics.ts";
import { lakeChanges } from "../../../lib/store/lake/changes.ts";
import { closedDays } from "../../../lib/store/lake/closed-days.ts";
import { dueDays } from "../../../lib/store/lake/due-days.ts";
import { lakeManifests } from "../../../lib/store/lake/manifests.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { filterResolver } from "../../../lib/store/scores/newest/filter-resolver.ts";
import { newestKey, packNewest } from "../../../lib/store/scores/newest/newest-codec.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { sessionAnalytics } from "../../../lib/store/sessions/analytics.ts";
import { sessionList, type SessionQuery } from "../../../lib/store/sessions/list.ts";
import { traceList, type TraceQuery } from "../../../lib/store/traces/lists/list.ts";
import { userList } from "../../../lib/store/traces/lists/users.ts";
import { memoryLimits, rowScan } from "../../../lib/store/traces/row-scan.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { markLakeChanges } from "../../../lib/stream/lake-changes.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { temporaryFolder, testEngine } from "../../support/lake/lake.ts";
import { seeded, type Random } from "../../support/random.ts";
import { someScore, someSessionScore } from "../../support/scores.ts";
import type { FigureRange } from "../../../lib/store/scores/figures.ts";
import { sessionScoreKind, traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreUnits } from "../../../lib/store/scores/units/read.ts";
import { scoreTargets } from "../../../lib/store/scores/units/targets.ts";
import { dimensionNames, dimensionsOf, groupsScores } from "../../../lib/domain/scores/dimensions.ts";
import { closingMilliseconds } from "../../../lib/lake/parts/day-parts-writer.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

const database = quietDatabase();
/** The first two days are closed, the third is over and has no files, the last is today. */
const days = ["2026-10-01", "2026-10-02", "2026-10-03", "2026-10-04"] as const;
const startOf = (random: Random, day: string): Instant =>
  instantAt(Date.parse(`${day}T00:00:00Z`) + random.below(12) * 7_200_000);

/** Instants of which some are within an hour. */
const someInstant = (random: Random): Instant =>
  instantAt(Date.parse(startOf(random, random.pick(days))) + random.below(3) * 1_000_000);

/** A span of a trace that starts minutes or days after the trace, or a little before it. */
const spanOf = (random: Random, startedAt: Instant): IdentifiedSpan => {
  const minutes = random.chance(0.8) ? random.below(100) : random.between(-20, 3_000);
  const isCall = random.chance(0.7);
  return {
    span_id: randomUUID(),
    name: "lookup_order",
    kind: isCall ? "LLM" : "TOOL",
    started_at: instantAt(Date.parse(startedAt) + minutes * 60_000),
    model: isCall ? random.pick(["m-1", "m-2", null]) : null,
    token_usage: isCall
      ? { prompt_tokens: random.below(99), completion_tokens: random.chance(0.05) ? 0.5 : random.below(9) }
      : null,
    cost: random.chance(0.5) ? { total: random.below(1e9) / 1e12 } : null,
  };
};

type ScoreRange = Pick<FigureRange, "date_from" | "date_to">;
type ListOptions = Omit<TraceQuery, "filter" | "files">;

/** A project with a stream worker and a writer of files, and lists that read files and those that read rows alone. */
const setUp = async ({ rowLimit = 2_000_000, bytesOfLookup = 1, tracesPerChange = 0, retentionDays = 0 } = {}) => {
  const [project, folder] = [randomUUID(), temporaryFolder()];
  const engine = await testEngine(folder);
  const clock = { now: Date.parse("2026-10-04T12:00:00Z") };
  const now = (): number => clock.now;
  const objects = folderStore(join(folder, "bucket"));
  const [changes, due] = [lakeChanges(database(), now), dueDays(database(), now)];
  const mark = markLakeChanges(closedDays(database(), now), changes, due, withoutDeletions, now);
  const writer = dayWriter(database(), objects, engine, folder, now);
  const copies = fileCopies(objects, join(folder, "copies"), 20_000);
  const [lookUp, sumUp] = [traceLookup(copies, engine, now), sumLookup(copies, engine, now)];
  const findSessions = sessionLookup(copies, engine, now);
  const findTargets = targetLookup(copies, engine, now);
  const [lookups, sums, shares]: [TraceLookup[], SumLookup[], SessionLookup[]] = [[], [], []];
  const targetLookups: TargetLookup[] = [];
  const state = { isDown: false, hasTime: true };
  const files = lakeFileDays(
    database(),
    {
      list: async (lookup) => {
        lookups.push(lookup);
        if (state.isDown) throw new Error("There is no answer.");
        return await lookUp(state.hasTime ? lookup : { ...lookup, days: lookup.days.slice(0, 1) });
      },
      sum: async (lookup) => {
        sums.push(lookup);
        if (state.isDown) throw new Error("There is no answer.");
        return await sumUp(lookup);
      },
      sessions: async (lookup) => {
        shares.push(lookup);
        if (state.isDown) throw new Error("There is no answer.");
        return await findSessions(lookup);
      },
      targets: async (lookup) => {
        targetLookups.push(lookup);
        if (state.isDown) throw new Error("There is no answer.");
        return await findTargets(lookup);
      },
    },
    { minTraces: 1, tracesPerChange, bytesOfLookup },
  );
  const scoresOf = newestValues(database(), "trace", now);
  const list = traceList(database(), now, rowLimit, memoryLimits[1769], scoresOf);
  const users = userList(database(), now, rowLimit, memoryLimits[1769], scoresOf);
  const sessions = sessionList(database(), now, rowLimit);
  const sessionFigures = sessionAnalytics(database(), now, rowLimit, memoryLimits[1024], scoresOf);
  const analytics = filteredAnalytics(database(), now, rowLimit);
  const [traces, incarnations] = [new Map<string, Instant>(), new Map<string, string | null>()];

  const save = async (fields: Parameters<typeof someTrace>[0], random: Random): Promise<void> => {
    const trace = someTrace({
      name: random.pick(["refund", "Refund ÉTÉ", "lookup", ""]),
      ended_at: random.chance(0.3) ? null : instantAt(Date.parse("2026-10-04T00:00:00Z") + random.below(5) * 1000),
      status: random.chance(0.3) ? "ERROR" : "COMPLETED",
      user_id: random.pick([null, "u-1", "u-2", "u-3"]),
      session_id: random.pick([null, "s-0", `s-${random.below(30)}`]),
      tags: ["eu", "us"].filter(() => random.chance(0.4)),
      release: random.pick([null, "2.3", "", "\ufeff2.3"]),
      metadata: { tier: random.pick(["pro", "free", null]), prompt: random.pick([null, "o'--"]) },
      spans: Array.from({ length: random.below(4) }, () => spanOf(random, fields?.started_at ?? days[0])),
      ...fields,
    });
    await traceStore(database(), retentionDays, now).save(project, trace, "trace", ["tier"]);
    traces.set(trace.trace_id, trace.started_at);
    await mark([{ project, startedAt: trace.started_at }]);
  };
  const score = async (id: string, startedAt: Instant, value: string): Promise<void> => {
    clock.now += 1000;
    const created = { created_at: instantAt(now()), updated_at: instantAt(now()) };
    const scored = someScore({ project_id: project, trace_id: id, name: "quality", value, ...created });
    await scoreCreation(database(), now).ofTrace(scored);
    const reading = { strongly: true, withIncarnations: true };
    await rowScan(database(), now).at(project, [startedAt], reading, ({ traceId, incarnation }) => {
      if (traceId === id) incarnations.set(id, incarnation);
    });
    const target = { project, target: "trace", id, incarnation: incarnations.get(id) ?? null } as const;
    const newest = packNewest("quality", { person: scored, program: null, failure: null });
    await itemsOf(database(), "aggregates").put({ ...newestKey(target, "quality"), ...newest, g: randomUUID() });
    await mark([{ project, startedAt }], "scores");
  };

  /** Reads a page, from files unless `isPlain`. */
  const page = async (filters: TraceFilters, options: ListOptions, isPlain = false, ofProject = project) => {
    const names = options.sortBy === "score" ? ["quality"] : [];
    const filter = await filterResolver(database()).traces(ofProject, filters, names);
    const fileDays = isPlain ? null : await files(ofProject, filter, filters);
    return await list.list(ofProject, { ...options, sortScore: "quality", filter, files: fileDays });
  };
  /** Writes the files of a closed day again as versions without usage did. */
  const writeEarlier = async (day: string): Promise<void> => {
    const manifests = lakeManifests(database(), now);
    const manifest = await manifests.get(project, day);
    const file = manifest?.files.find(({ table }) => table === "traces");
    if (manifest === null || file === undefined) throw new Error("The day has no files.");
    const [path, key] = [join(folder, "earlier.parquet"), `${file.key}.earlier`];
    const columns = sql`SELECT * EXCLUDE (first_span_at, last_span_at, usage) FROM ${parquetOf([join(folder, "bucket", file.key)])}`;
    await engine.rows(new Sql(`COPY (${columns.text}) TO '${path}' (FORMAT parquet)`));
    await objects.put(key, path, await sha256Of(path));
    const files = manifest.files.map((each) => ({ ...each, columns: 0, key: each === file ? key : each.key }));
    expect(await manifests.publish(manifest, { files })).not.toBeNull();
  };
  return {
    clock,
    files,
    lookups,
    shares,
    sums,
    targetLookups,
    /** The scores that figures of a metric count, with their groups, from files unless `isPlain`. */
    countedScores: async (
      target: "trace" | "session",
      filters: TraceFilters,
      range: ScoreRange,
      groupBy: readonly string[],
      isPlain = false,
    ) => {
      const [dimensions, scored] = [dimensionsOf(groupBy, ["tier"]), { name: "quality", ...range }];
      const filter = await filterResolver(database()).traces(project, filters);
      const fileDays = isPlain ? null : await files(project, filter, filters, "scores");
      const readTargets = scoreTargets(database(), target, now, rowLimit);
      const readUnits =
        target === "trace"
          ? scoreUnits(database(), traceScoreKind, now)
          : scoreUnits(database(), sessionScoreKind, now);
      const targets = await readTargets(project, filter, dimensions, { days: fileDays, scored });
      const units = await readUnits(project, {
        range: scored,
        targets,
        isEvery: groupsScores(dimensions),
        dimensions,
      });
      const withOrder = units.map((unit) =>
        Object.assign(unit, { groups: unit.groups.map((group) => JSON.stringify(group)).toSorted() }),
      );
      return withOrder.toSorted((a, b) => (a.order < b.order ? -1 : 1));
    },
    /** Reads a page of sessions, from files unless `isPlain`. */
    sessionPage: async (filters: SessionListFilters, options: Omit<SessionQuery, "filter">, isPlain = false) => {
      const filter = await filterResolver(database()).sessions(project, filters);
      const days = isPlain ? null : await files(project, filter.traces, splitSessionFilters(filters).traces);
      return await sessions(project, { ...options, filter, files: days });
    },
    /** Analytics and users of the matching traces, from files unless `isPlain`. */
    answers: async (filters: TraceFilters, sortBy: UserSortColumn, isPlain = false) => {
      const fields = ["name", "tags", "tool", "release"] as const;
      const filter = await filterResolver(database()).analytics(project, filters);
      const fileDays = isPlain ? null : await files(project, filter, filters);
      const usageDays = isPlain ? null : await files(project, filter, filters, "usage");
      const [from, to] = [
        filters.date_from ?? "2026-09-01T00:00:00+00:00",
        filters.date_to ?? "2026-11-01T00:00:00+00:00",
      ];
      const usage = () => analytics.usage(project, filter, from, to, usageDays);
      const pages = [];
      let after: Position | null = null;
      do {
        const page = await users(project, 2, 0, after, { filter, sortBy, order: "desc", files: fileDays });
        pages.push(page);
        after = page.last;
      } while (after !== null);
      return {
        sessions: await sessionFigures(project, "", "", "hour", filter, fileDays),
        figures: await figureBuckets(analytics.figures(project, filter, fileDays), "hour"),
        usage: await usageBuckets(usage(), "hour"),
        models: await topModels(usage()),
        values: await Promise.all(fields.map((field) => analytics.values(project, filter, field, fileDays))),
        pages,
      };
    },
    mark,
    page,
    project,
    save,
    score,
    state,
    traces,
    writeEarlier,
    write: (day: string) => writer.write(project, day),
    closeDays: async (): Promise<void> => {
      for (const day of days.slice(0, 2)) expect(await writer.write(project, day)).toBe("closing");
      clock.now += closingMilliseconds;
      for (const day of days.slice(0, 2)) expect(await writer.write(project, day)).toBe("written");
    },
    /** Reads all pages of a list by cursor: the ids, and the totals of pages that were not cut. */
    pages: async (filters: TraceFilters, options: ListOptions, isPlain = false) => {
      const ids: string[] = [];
      const totals = new Set<number>();
      let after: Position | null = null;
      do {
        const { rows, total, last, isCut } = await page(filters, { ...options, after }, isPlain);
        ids.push(...rows.map(({ traceId }) => traceId));
        if (isCut !== true) totals.add(total);
        after = last;
      } while (after !== null);
      return { ids, totals: [...totals] };
    },
  };
};

type FiledProject = Awaited<ReturnType<typeof setUp>>;

const someFilters = (random: Random): TraceFilters => ({
  ...(random.chance(0.3) && { status: random.pick(["ERROR", "COMPLETED"] as const) }),
  ...(random.chance(0.2) && { user_id: random.pick(["u-1", "u-2"]) }),
  ...(random.chance(0.2) && { tags: [random.pick(["eu", "us"])] }),
  ...(random.chance(0.2) && { name: random.pick(["ete", "refund"]) }),
  ...(random.chance(0.2) && { tool: "lookup_order" }),
  ...(random.chance(0.2) && { has_error: random.chance(0.5) }),
  ...(random.chance(0.2) && { score: [random.pick(["quality>0.5", "quality=0", "quality!=0"])] }),
  ...(random.chance(0.1) && { no_score: ["quality"] }),
  ...(random.chance(0.3) && { date_from: someInstant(random) }),
  ...(random.chance(0.3) && { date_to: someInstant(random) }),
});

/** Saves traces of all days, and changes some when their day is closed. */
const changeClosedDays = async (random: Random, { closeDays, mark, project, save, score, traces }: FiledProject) => {
  for (let count = 0; count < 60; count += 1)
    await save({ started_at: startOf(random, random.pick([...days, days[0], days[1]])) }, random);
  for (const [id, startedAt] of traces) if (random.chance(0.5)) await score(id, startedAt, String(random.below(9) / 8));
  await closeDays();
  // Renamed, deleted and scored after their day was closed, and sent late.
  for (const [id, startedAt] of [...traces].filter(() => random.chance(0.15))) {
    const change = random.below(3);
    if (change === 0) await save({ trace_id: id, started_at: startedAt }, random);
    else if (change === 1) await score(id, startedAt, String(random.below(9) / 8));
    else {
      await deleteTrace(database(), project, id);
      await mark([{ project, startedAt }]);
    }
  }
  for (let count = 0; count < 4; count += 1)
    await save({ started_at: startOf(random, random.pick([days[0], days[1]])) }, random);
};

test("lists over files, changed and open days are those from rows alone, in any order and page by page", async () => {
  const seed = Number(process.env["LISTS_SEED"] ?? freshSeed());
  const random = seeded(seed);
  const filedProject = await setUp();
  const { lookups, page, pages } = filedProject;
  await changeClosedDays(random, filedProject);

  for (let query = 0; query < 12; query += 1) {
    const filters = someFilters(random);
    const options = {
      sortBy: random.pick(["score", "started_at", ...traceSortColumns] as const),
      order: random.pick(["asc", "desc"] as const),
      limit: random.pick([5, 50]),
      offset: 0,
    };
    const text = JSON.stringify({ filters, options });
    expect(await pages(filters, options), `LISTS_SEED=${seed}: ${text}`).toEqual(await pages(filters, options, true));
    const skipping = { ...options, offset: random.below(30) };
    const [plain, filed] = [await page(filters, skipping, true), await page(filters, skipping)];
    expect({ ...filed, rows: filed.rows.map(({ traceId }) => traceId) }, `LISTS_SEED=${seed}: ${text}`).toEqual({
      ...plain,
      rows: plain.rows.map(({ traceId }) => traceId),
    });
  }
  expect(lookups.length).toBeGreaterThan(12);
});

test("analytics and users over files, changed and open days are those from rows alone", async () => {
  const seed = Number(process.env["LISTS_SEED"] ?? freshSeed());
  const random = seeded(seed);
  const filedProject = await setUp();
  const { answers, save, sums } = filedProject;
  const [from, to] = [`${days[0]}T02:16:40+00:00`, `${days[1]}T16:16:40+00:00`];
  // Spans of an hour, before and after each bound of a range.
  for (const hour of [from.slice(0, 13), to.slice(0, 13)])
    for (const minute of ["00", "05", "25", "30"]) {
      const startedAt = `${hour}:${minute}:00+00:00`;
      const spans = ["10", "35"].map((at) =>
        Object.assign(spanOf(random, startedAt), { started_at: `${hour}:${at}:00+00:00`, token_usage: null }),
      );
      await save({ started_at: startedAt, spans }, random);
    }
  await changeClosedDays(random, filedProject);

  for (const [query, sortBy] of userSortColumns.entries()) {
    const filters = [{ date_from: from, date_to: to }, { has_error: true }][query] ?? someFilters(random);
    const text = JSON.stringify(filters);
    expect(await answers(filters, sortBy), `LISTS_SEED=${seed}: ${text}`).toEqual(await answers(filters, sortBy, true));
  }
  expect(new Set(sums.map(({ by }) => by))).toEqual(
    new Set(["hour", "user", "usage", "name", "tags", "tool", "release"]),
  );
});

test("usage of a day whose files are of a version without it comes from rows, until the day is written again", async () => {
  const seed = Number(process.env["LISTS_SEED"] ?? freshSeed());
  const random = seeded(seed);
  const filedProject = await setUp();
  const { answers, clock, sums, write, writeEarlier } = filedProject;
  await changeClosedDays(random, filedProject);
  await writeEarlier(days[0]);
  const daysOf = (by: SumLookup["by"]) =>
    new Set(sums.splice(0).flatMap((lookup) => (lookup.by === by ? lookup.days.map(({ day }) => day) : [])));
  const plain = await answers({}, "cost", true);

  expect(await answers({}, "cost"), `LISTS_SEED=${seed}`).toEqual(plain);
  expect(sums.filter(({ by }) => by === "usage").flatMap((lookup) => lookup.days.map(({ day }) => day))).not.toContain(
    days[0],
  );
  expect(daysOf("hour")).toEqual(new Set([days[1], days[0]]));

  clock.now += closingMilliseconds;
  expect(await write(days[0])).toBe("written");
  expect(await answers({}, "cost"), `LISTS_SEED=${seed}`).toEqual(plain);
  expect(daysOf("usage")).toEqual(new Set([days[1], days[0]]));
});

test("scores by groups over files, changed and open days are those from rows alone", async () => {
  const seed = Number(process.env["LISTS_SEED"] ?? freshSeed());
  const random = seeded(seed);
  const filedProject = await setUp();
  const { clock, countedScores, project, save, score, targetLookups, traces, write, writeEarlier } = filedProject;
  const sessions = ["s-0", "s-1", "s-2", "c-0", "c-1", "c-2", "gone"];
  // Sessions of which one closed day has the newest trace and an earlier one.
  for (const session_id of sessions.filter((id) => id.startsWith("c-")))
    for (const hour of ["03", "21"])
      await save({ session_id, release: hour, started_at: `${days[0]}T${hour}:30:00+00:00` }, random);
  await changeClosedDays(random, filedProject);
  for (const [id, startedAt] of [...traces].slice(-4)) await score(id, startedAt, "0.5");
  for (const session of sessions) {
    const created = { created_at: instantAt(clock.now), updated_at: instantAt(clock.now) };
    const scored = someSessionScore({ project_id: project, session_id: session, name: "quality", ...created });
    await scoreCreation(database(), () => clock.now).ofSession(scored);
  }
  const daysOf = () => new Set(targetLookups.splice(0).flatMap((lookup) => lookup.days.map(({ day }) => day)));
  const groups = [...dimensionNames, "metadata.tier"];
  const counts = { trace: 0, session: 0 };

  for (let query = 0; query < 14; query += 1) {
    const filters = query < 10 ? {} : someFilters(random);
    const instant = instantAt(clock.now - random.below(60_000));
    const range = random.pick<ScoreRange>([{}, { date_from: instant }, { date_to: instant }]);
    const [group = "", other = ""] = [groups[query % groups.length], groups[random.below(groups.length)]];
    const groupBy = random.chance(0.5) ? [group] : [group, other];
    for (const target of ["trace", "session"] as const) {
      const plain = await countedScores(target, filters, range, groupBy, true);
      const text = JSON.stringify({ target, filters, range, groupBy });
      expect(await countedScores(target, filters, range, groupBy), `LISTS_SEED=${seed}: ${text}`).toEqual(plain);
      counts[target] += plain.length;
    }
  }
  expect(Math.min(counts.trace, counts.session)).toBeGreaterThan(4);
  expect(daysOf()).toEqual(new Set([days[1], days[0]]));

  // Files of a version without incarnations.
  await writeEarlier(days[0]);
  const plain = await countedScores("trace", {}, {}, ["release"], true);
  expect(await countedScores("trace", {}, {}, ["release"])).toEqual(plain);
  expect(daysOf()).toEqual(new Set([days[1]]));
  clock.now += closingMilliseconds;
  expect(await write(days[0])).toBe("written");
  expect(await countedScores("trace", {}, {}, ["release"])).toEqual(plain);
  expect(daysOf()).toEqual(new Set([days[1], days[0]]));
});

/** Ids of sessions that begin on closed days; SQL and JavaScript fold several of them differently. */
const sessionIds = ["S-2", "s-ÉTÉ", "straße-s", "s-ete", "İ-s", "\u{1f600}", "\uff5e", "o'--", "\ufeffs-2"] as const;

const someSessionFields = (random: Random, startedAt: Instant): Parameters<typeof someTrace>[0] => ({
  session_id:
    startedAt < days[2] && random.chance(0.7) ? random.pick(sessionIds) : random.pick([null, `s-${random.below(9)}`]),
  status: random.chance(0.1) ? "ERROR" : "COMPLETED",
  spans: Array.from({ length: random.below(3) }, () => ({
    span_id: randomUUID(),
    name: "call",
    kind: "LLM",
    status: random.chance(0.1) ? "ERROR" : "OK",
    started_at: "2026-10-04T00:00:00+00:00",
    ended_at: "2026-10-04T00:00:01+00:00",
    cost: { total: random.below(3e9) / 1e12 },
    token_usage: { total_tokens: random.below(40) },
  })),
});

/** Filters of all kinds, each of totals alone and the first with those of traces. */
const sessionFilters = (random: Random): readonly SessionListFilters[] => {
  const { user_id, tags, date_from, date_to } = someFilters(random);
  return [
    { user_id, tags, date_from, date_to },
    { user_id, date_to, query: "s-", has_error: false },
    ...["ETE", "ss", "i", "\u0301"].map((query) => ({ query })),
    ...[true, false].flatMap((expected) => [{ has_error: expected }, { has_failed_span: expected }]),
    { min_latency_ms: 2e8 },
    { max_latency_ms: 3e8 },
    { min_cost: 0.004 },
    { max_cost: 0.006 },
    { min_tokens: 60 },
    { max_tokens: 100 },
    {},
    {},
  ];
};

test("sessions over files, changed and open days are those from rows alone, in any order and page by page", async () => {
  const seed = Number(process.env["LISTS_SEED"] ?? freshSeed());
  const random = seeded(seed);
  const filedProject = await setUp({ bytesOfLookup: 10_000 });
  const { clock, save, sessionPage, shares } = filedProject;
  await changeClosedDays(random, {
    ...filedProject,
    save: async (fields, ofTrace) => {
      clock.now += random.below(2);
      await save({ ...someSessionFields(random, fields?.started_at ?? ""), ...fields }, ofTrace);
    },
  });

  for (const [query, filters] of sessionFilters(random).entries()) {
    const sortBy = sessionSortColumns[query % sessionSortColumns.length] ?? "recent";
    const options = { sortBy, order: random.pick(["asc", "desc"] as const), limit: random.pick([6, 50]) };
    const text = JSON.stringify({ filters, options });
    const offset = random.below(4);
    let after: Position | null = null;
    do {
      const request: Omit<SessionQuery, "filter"> = { ...options, offset, after };
      const filed = await sessionPage(filters, request);
      expect(filed, `LISTS_SEED=${seed}: ${text}`).toEqual(await sessionPage(filters, request, true));
      after = filed.last;
    } while (after !== null);
  }
  expect(Math.max(...shares.map(({ share }) => share.of))).toBeGreaterThan(1);
});

test("without sums of the files their rows are read once, as many as analytics, users and sessions may read", async () => {
  const { answers, closeDays, mark, project, save, sessionPage, state, sums, traces } = await setUp({ rowLimit: 5 });
  const random = seeded(6);
  for (const day of [days[0], days[0], days[1], days[3]])
    await save({ started_at: startOf(random, day), user_id: "u-1", session_id: "s-1" }, random);
  await closeDays();
  await mark([{ project, startedAt: [...traces.values()][0] ?? "" }]);
  const sessions = () => sessionPage({}, { sortBy: "cost", order: "asc", limit: 2, offset: 0 });
  const user = (traceCount: number) => ({ total: 1, users: [{ userId: "u-1", traceCount }] });
  state.isDown = true;
  expect((await answers({}, "latency")).pages[0]).toMatchObject(user(4));
  expect(await sessions()).toMatchObject({ total: 1, sessions: [{ sessionId: "s-1", traceCount: 4 }] });

  for (let count = 0; count < 3; count += 1)
    await save({ started_at: startOf(random, days[3]), user_id: "u-1", session_id: "s-1" }, random);

  const refusal = { reason: { violations: [{ type: "too_many_rows" }] } };
  await expect(answers({}, "latency")).rejects.toMatchObject(refusal);
  await expect(sessions()).rejects.toMatchObject(refusal);
  state.isDown = false;
  expect((await answers({}, "latency")).pages[0]).toMatchObject(user(7));
  expect(await sessions()).toMatchObject({ total: 1, sessions: [{ sessionId: "s-1", traceCount: 7 }] });
  // Closed days only: rows of the others are never in a file.
  expect(sums.flatMap((lookup) => lookup.days.map(({ day }) => day))).not.toContain(days[3]);
});

test("what was deleted or changed a moment ago is not on a page, though its day is not marked yet", async () => {
  const { closeDays, page, project, save, traces } = await setUp();
  const random = seeded(1);
  for (const name of ["a", "b", "c"]) await save({ name, started_at: `${days[0]}T10:00:00+00:00` }, random);
  await closeDays();
  const [deleted = "", renamed = "", kept = ""] = traces.keys();
  await deleteTrace(database(), project, deleted);
  const renaming = someTrace({ trace_id: renamed, name: "x", started_at: `${days[0]}T10:00:00+00:00` });
  await traceStore(database(), 0).save(project, renaming);

  const options = { sortBy: "cost", order: "desc", limit: 10, offset: 0 } as const;
  const ofNames = await Promise.all(["a", "b", "c"].map((name) => page({ name }, options)));

  expect(ofNames.map(({ rows, total }) => [rows.map(({ traceId }) => traceId), total])).toEqual([
    [[], 1],
    [[], 1],
    [[kept], 1],
  ]);
});

test("expired traces are in no total and on no page", async () => {
  const { clock, closeDays, page, save } = await setUp({ retentionDays: 1 });
  await save({ started_at: `${days[0]}T10:00:00+00:00` }, seeded(1));
  await closeDays();
  const options = { sortBy: "cost", order: "desc", limit: 10, offset: 0 } as const;
  expect(await page({}, options)).toMatchObject({ rows: [{}], total: 1 });

  clock.now += 3 * 86_400_000;

  expect(await page({}, options)).toMatchObject({ rows: [], total: 0 });
});

test("a list whose time is over goes on by its cursor, and one in another order is refused", async () => {
  const { closeDays, page, pages, save, state } = await setUp({ bytesOfLookup: 1e9 });
  const random = seeded(2);
  for (let count = 0; count < 30; count += 1) await save({ started_at: startOf(random, random.pick(days)) }, random);
  await closeDays();
  const [filters, options] = [
    { date_to: `${days[3]}T20:00:00+00:00` },
    { limit: 4, offset: 0, sortBy: "started_at" },
  ] as const;
  const filtered = { ...filters, name: "" };
  const whole = await pages({ ...filtered }, { ...options, order: "desc" }, true);
  state.hasTime = false;

  for (const order of ["desc", "asc"] as const) {
    const { ids, totals } = await pages(filtered, { ...options, order });
    expect(ids).toEqual(order === "desc" ? whole.ids : whole.ids.toReversed());
    expect(totals).toEqual([]);
  }
  expect(await page(filtered, { ...options, order: "desc" })).toMatchObject({ isCut: true });
  const refusal = { reason: { kind: "invalid", violations: [{ type: "too_many_rows" }] } };
  await expect(page(filtered, { ...options, sortBy: "cost", order: "desc" })).rejects.toMatchObject(refusal);
  await expect(page(filtered, { ...options, order: "desc", offset: 29 })).rejects.toMatchObject(refusal);
});

test("without an answer of the files their rows are read, as many as a list may read", async () => {
  const { closeDays, page, save, state } = await setUp({ rowLimit: 5 });
  const random = seeded(3);
  for (const day of [days[0], days[0], days[1], days[3]]) await save({ started_at: startOf(random, day) }, random);
  await closeDays();
  state.isDown = true;
  const options = { sortBy: "cost", order: "desc", limit: 10, offset: 0 } as const;
  expect(await page({}, options)).toMatchObject({ total: 4 });

  for (let count = 0; count < 3; count += 1) await save({ started_at: startOf(random, days[3]) }, random);

  const refusalAt = (loc: readonly string[]) => ({ reason: { violations: [{ loc, type: "too_many_rows" }] } });
  await expect(page({}, options)).rejects.toMatchObject(refusalAt(["query", "started_after"]));
  const bounds = [["body", "filters"], "date_from and date_to"] as const;
  await expect(page({}, { ...options, bounds })).rejects.toMatchObject(refusalAt(bounds[0]));
  state.isDown = false;
  expect(await page({}, options)).toMatchObject({ total: 7 });
});

test("the files are those of the caller's project, whatever a cursor says", async () => {
  const [mine, theirs] = [await setUp(), await setUp()];
  for (const { save, closeDays } of [mine, theirs]) {
    for (const hour of ["10", "11"]) await save({ started_at: `${days[0]}T${hour}:00:00+00:00` }, seeded(4));
    await closeDays();
  }
  const options = { sortBy: "cost", order: "asc", limit: 1, offset: 0 } as const;
  const { last } = await theirs.page({}, options);

  const page = await mine.page({}, { ...options, limit: 10, after: last });

  expect(page.total).toBe(2);
  for (const { traceId } of page.rows) expect([...mine.traces.keys()]).toContain(traceId);
  const keys = mine.lookups.flatMap((lookup) => lookup.days.map(({ traces }) => traces));
  expect(keys).not.toEqual([]);
  for (const key of keys) expect(key).toContain(`project=${mine.project}/`);
});

test("a day of which many traces have changed is read from rows", async () => {
  const { closeDays, files, mark, project, save, traces } = await setUp({ tracesPerChange: 20 });
  const random = seeded(5);
  for (const day of [days[0], days[1]])
    for (let count = 0; count < 25; count += 1) await save({ started_at: startOf(random, day) }, random);
  await closeDays();
  const range = { from: null, to: null, scores: null };
  expect((await files(project, range, {}))?.days).toEqual(new Set([days[1], days[0]]));

  const ofFirst = [...new Set(traces.values())].filter((startedAt) => startedAt.startsWith(days[0]));
  await mark(ofFirst.map((startedAt) => ({ project, startedAt })));

  expect((await files(project, range, {}))?.days).toEqual(new Set([days[1]]));
});
