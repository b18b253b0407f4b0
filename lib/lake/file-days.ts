import * as v from "valibot";
import { hasColumn } from "../domain/lake/tables.ts";
import { dayOf, endOfDay, instantAt } from "../domain/instant.ts";
import { mapConcurrently } from "../async/concurrency.ts";
import type { SortOrder } from "../domain/list-order.ts";
import type { Position } from "../domain/page.ts";
import type { Database } from "../dynamo/database.ts";
import { faultFields, logLine } from "../log.ts";
import { lakeDayViews, type LakeDayView } from "../store/lake/day-view.ts";
import type { LakeFile } from "../store/lake/lake-file.ts";
import { type FiledNeed, type FileDaysReader, minFiledTraces } from "../store/traces/lists/file-days.ts";
import { lowestId } from "../store/traces/search/indexed-rows.ts";
import { type SessionLookup, sessionParts, sessionSums } from "./sessions/session-lookup.ts";
import { hourSums, type SumLookup, usageSums, userSums, valueSums } from "./sum-lookup.ts";
import { type TargetLookup, targetsOfFiles } from "./target-lookup.ts";
import { foundTraces, isBefore, type TraceLookup } from "./trace-lookup.ts";
import { shardOf } from "./word-files.ts";

/** Bounds of requests that read files. */
const defaultBounds = {
  /** Traces in files below which rows are read. */
  minTraces: minFiledTraces,
  /** Traces of a day for each changed instant, below which all its rows are read: a row of its own costs as much as a page of rows. */
  tracesPerChange: 20,
  /** Bytes of files above which a request takes several lookups. */
  bytesOfLookup: 256_000_000,
};

/** Lookups at the same time. */
const maxLookups = 8;

/** Traces that files list at most: a reply of a function has 6 MB. */
const maxListed = 25_000;

/** Days of a lookup of sums: those by hour have up to 200 KB a day, usage 5 KB for each model that is used all day. */
const maxDays: Readonly<Partial<Record<SumLookup["by"], number>>> = { hour: 20, usage: 10 };
const maxSumDays = 100;

/** Ids of sessions with rows in a share: a reply has the totals of about 15,000. */
const idsOfShare = 10_000;

/** Milliseconds after which a request begins no further lookup, which may take 20 s of its 29. */
const beginMilliseconds = 8_000;

/** Targets of scores in a lookup: a reply has about 60,000. */
const targetsOfLookup = 30_000;

/** Asks the lake's function: for a list of traces, for sums, for sessions, or for targets of scores. */
interface FileLookups {
  readonly list: (lookup: TraceLookup) => Promise<unknown>;
  readonly sum: (lookup: SumLookup) => Promise<unknown>;
  readonly sessions: (lookup: SessionLookup) => Promise<unknown>;
  readonly targets: (lookup: TargetLookup) => Promise<unknown>;
}

const fileOf = (files: readonly LakeFile[], table: LakeFile["table"]): LakeFile | undefined =>
  files.find((file) => file.table === table);

/** True if the files of a day have what a request needs. */
const hasNeed = ({ files }: LakeDayView, need: FiledNeed): boolean =>
  need === "usage"
    ? hasColumn("traces", "usage", fileOf(files, "traces")?.columns ?? 0)
    : hasColumn("scores", "incarnation", fileOf(files, "scores")?.columns ?? 0);

const tracesIn = ({ files }: LakeDayView): number => fileOf(files, "traces")?.rows ?? 0;

/** Splits days for lookups, which keep their order. */
const shares = <Day extends { readonly bytes: number }>(
  days: readonly Day[],
  minBytes: number,
  maxDays = days.length,
): readonly (readonly Day[])[] => {
  const total = days.reduce((sum, { bytes }) => sum + bytes, 0);
  const bytesOfShare = Math.max(minBytes, total / maxLookups);
  const lists: Day[][] = [];
  let before = 0;
  for (const day of days) {
    (lists[Math.min(maxLookups - 1, Math.floor(before / bytesOfShare))] ??= []).push(day);
    before += day.bytes;
  }
  return lists.flatMap((list) =>
    Array.from({ length: Math.ceil(list.length / maxDays) }, (_, index) =>
      list.slice(index * maxDays, (index + 1) * maxDays),
    ),
  );
};

/** Joins the parts of an answer; null if one of them is missing. */
const wholeOf = <Part>(parts: readonly (readonly Part[] | null)[] | null): readonly Part[] | null =>
  parts?.includes(null) === false ? parts.flatMap((part) => part ?? []) : null;

/** Returns the position between the traces of a day and those of the days behind, of a list by start. */
const endOf = (day: string, order: SortOrder): Position => ({
  key: order === "asc" ? instantAt(endOfDay(day)) : `${day}T00:00:00+00:00`,
  id: lowestId,
});

/**
 * Reads lists and sums of traces from the files of closed days.
 *
 * @param lookUp lists and sums up traces of days by their files, such as by a function that has DuckDB.
 */
export const lakeFileDays = (
  database: Database,
  lookUp: FileLookups,
  { minTraces, tracesPerChange, bytesOfLookup } = defaultBounds,
): FileDaysReader => {
  const views = lakeDayViews(database);
  return async (project, { from, to, scores }, filters, need) => {
    const [first, last] = [from === null ? "0001-01-01" : dayOf(from), to === null ? "9999-12-31" : dayOf(to)];
    if (first > last) return null;
    const withScores = scores !== null || need === "scores";
    const closed = (await views(project, first, last, withScores)).filter(
      (view) => view.changed.length * tracesPerChange <= tracesIn(view) && (need === undefined || hasNeed(view, need)),
    );
    const traces = closed.reduce((sum, view) => sum + tracesIn(view), 0);
    if (traces < minTraces) return null;

    const fileDays = closed.map(({ day, files, changed }) => {
      const [rows, scoreRows] = [fileOf(files, "traces"), withScores ? fileOf(files, "scores") : undefined];
      const lookup = { day, traces: rows?.key ?? "", scores: scoreRows?.key ?? null, changed: [...changed] };
      const counts = { trace: scoreRows?.rows ?? 0, session: rows?.rows ?? 0 };
      return { day, lookup, bytes: (rows?.bytes ?? 0) + (scoreRows?.bytes ?? 0), counts };
    });
    const giver = scores?.giver;

    /** Looks shares of the days up; null if one of them fails, or there is no time. */
    const lookUpAll = async <Part>(
      lists: readonly (readonly (typeof fileDays)[number][])[],
      look: (days: TraceLookup["days"], index: number) => Promise<Part>,
    ): Promise<readonly Part[] | null> => {
      const until = Date.now() + beginMilliseconds;
      try {
        return await mapConcurrently(lists.entries(), maxLookups, async ([index, list]) => {
          if (Date.now() > until) throw new Error("There was no time for all files.");
          const days = list.map(({ lookup }) => lookup);
          return await look(days, index);
        });
      } catch (error) {
        logLine("trace_lookup_failed", { project_id: project, ...faultFields(error) });
        return null;
      }
    };

    const sumsOf = async <Sum>(
      by: SumLookup["by"],
      schema: v.GenericSchema<unknown, readonly Sum[] | null>,
    ): Promise<readonly Sum[] | null> => {
      const lists = shares(fileDays, bytesOfLookup, maxDays[by] ?? maxSumDays);
      const parts = await lookUpAll(lists, async (days) =>
        v.parse(schema, await lookUp.sum({ days, filters, giver, by })),
      );
      return wholeOf(parts);
    };

    /** Asks for the sessions of all days by shares: each answer is about whole sessions. */
    const sessionsOf = async <Part>(
      ids: readonly string[],
      page: SessionLookup["page"],
      schema: v.GenericSchema<unknown, readonly Part[] | null>,
    ): Promise<readonly Part[] | null> => {
      const bytes = fileDays.reduce((sum, day) => sum + day.bytes, 0);
      const of = Math.min(maxLookups, Math.ceil(Math.max(1, bytes / bytesOfLookup, ids.length / idsOfShare)));
      const idsOf = Map.groupBy(ids, (id) => shardOf(id, of));
      const lists = Array.from({ length: of }, () => fileDays);
      const parts = await lookUpAll(lists, async (days, index) => {
        const lookup = { days, filters, giver, share: { index, of }, ids: idsOf.get(index) ?? [], page };
        return v.parse(schema, await lookUp.sessions(lookup));
      });
      return wholeOf(parts);
    };

    return {
      days: new Set(closed.map(({ day }) => day)),
      traces,
      changed: closed.flatMap(({ changed }) => changed),
      figures: () => sumsOf("hour", hourSums),
      values: (field) => sumsOf(field, valueSums),
      users: () => sumsOf("user", userSums),
      usage: async () => (await sumsOf("usage", usageSums))?.flat() ?? null,
      sessions: async (query, ids) => (query.limit > maxListed ? null : await sessionsOf(ids, query, sessionParts)),
      sessionFigures: (ids) => sessionsOf(ids, null, sessionSums),
      targets: async (query) => {
        // A lookup is filled by the bytes of its files, or by its targets.
        const sized = fileDays.map((day) => ({
          ...day,
          bytes: Math.max(day.bytes / bytesOfLookup, day.counts[query.target] / targetsOfLookup),
        }));
        const parts = await lookUpAll(shares(sized, 1), async (days) =>
          v.parse(
            targetsOfFiles,
            await lookUp.targets({ ...query, dimensions: [...query.dimensions], days, filters, giver }),
          ),
        );
        return wholeOf(parts);
      },
      list: async (request) => {
        const { order, limit } = request;
        if (limit > maxListed) return null;
        const days = order === "asc" ? fileDays.toReversed() : fileDays;
        const isCounted = ({ day }: { readonly day: string }): boolean => isBefore(day, request);
        // Those behind the cursor at first: a list whose time is over goes on with the next.
        const listed = days.filter((day) => !isCounted(day));
        const lists = shares([...listed, ...days.filter(isCounted)], bytesOfLookup);
        const query = { ...request, filters, giver };
        const parts = await lookUpAll(lists, async (list) =>
          v.parse(foundTraces, await lookUp.list({ ...query, days: list })),
        );
        if (parts === null) return null;
        const cut = parts.findIndex((part, index) => part.days < (lists[index]?.length ?? 0));
        const read = parts.slice(0, cut < 0 ? parts.length : cut + 1).reduce((sum, part) => sum + part.days, 0);
        const lastRead = listed[read - 1];
        return {
          traces: parts.flatMap((part) => part.traces),
          total: parts.reduce((sum, part) => sum + part.total, 0),
          isWhole: cut < 0,
          end: cut < 0 || lastRead === undefined || read >= listed.length ? null : endOf(lastRead.day, order),
        };
      },
    };
  };
};
