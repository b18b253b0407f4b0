import type { Hour } from "../../domain/analytics/bucket.ts";
import { hourRange, containsHour } from "../../domain/analytics/hour-range.ts";
import { dayOf } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { isExpiredDay } from "../../dynamo/expiry.ts";
import { traceCounts } from "../traces/counts.ts";
import { type FileDays, minFiledTraces } from "../traces/lists/file-days.ts";
import { maxRows, tooManyRows, type StartRange } from "../traces/row-scan.ts";
import { hourReader } from "./reader.ts";

/** Instants before and after every possible start of a trace. */
const [earliest, latest] = ["0001-01-01T00:00:00+00:00", "9999-12-31T23:00:00+00:00"];

/** Returns a function that yields the computed whole hours of a range with the number of their traces, ascending. */
export const countedHours = (database: Database, now: () => number = Date.now) => {
  const hours = hourReader(database);
  return async function* (
    project: string,
    { from, to }: StartRange,
  ): AsyncGenerator<{ readonly hour: Hour; readonly traces: number }> {
    const range = hourRange(from ?? earliest, to ?? latest);
    if (range === null) return;
    for await (const { spans, hour, expiry, figures } of hours.between(project, range.firstAndLast))
      if (spans === hour && containsHour(range, hour) && !isExpiredDay(expiry, now()))
        yield { hour, traces: figures()?.traces ?? 0 };
  };
};

/**
 * Returns a function that counts the traces in the computed whole hours of a range. It stops above `limit`, and leaves out days
 * for which `isCounted` is false.
 */
export const countedTraces = (database: Database, now: () => number = Date.now) => {
  const hours = countedHours(database, now);
  return async (
    project: string,
    range: StartRange,
    limit = Number.POSITIVE_INFINITY,
    isCounted: (day: string) => boolean = () => true,
  ): Promise<number> => {
    let traces = 0;
    for await (const counted of hours(project, range)) {
      if (isCounted(dayOf(counted.hour))) traces += counted.traces;
      if (traces > limit) break;
    }
    return traces;
  };
};

/**
 * Returns a function that refuses a request before it reads too many rows of a project, judging by stored counts. For
 * a project below the limit it costs half a read unit; for a larger one it also reads the hourly sums of the range
 * until they exceed the limit.
 */
export const rowLimitCheck = (
  database: Database,
  now: () => number = Date.now,
  rowLimit = maxRows,
  minTraces = minFiledTraces,
) => {
  const [counts, count] = [traceCounts(database, now), countedTraces(database, now)];

  /**
   * Refuses a request whose range has too many rows, those of days in files not among them.
   *
   * @param loc path of the request field that narrows the range.
   * @param bounds names of the fields to narrow it with, for the message.
   * @param findFiles finds the days that are read from files; not called for a project below 100,000 traces.
   * @param need `if-refused` to read files only if the request would be refused without.
   * @returns these days; null for none.
   * @throws Refusal `invalid` when more than 2,000,000 rows would be read. Rows of partial hours and of hours being
   *   computed are not included; they count while they are read.
   */
  return async (
    project: string,
    range: StartRange,
    loc: readonly string[],
    bounds: string,
    findFiles?: () => Promise<FileDays | null>,
    need: "if-faster" | "if-refused" = "if-faster",
  ): Promise<FileDays | null> => {
    const total = await counts.total(project);
    const isReadable = async (files: FileDays | null): Promise<boolean> => {
      if (total - (files?.traces ?? 0) <= rowLimit) return true;
      const isUnbounded = files === null && range.from === null && range.to === null;
      const isRow = (day: string): boolean => files?.days.has(day) !== true;
      return !isUnbounded && (await count(project, range, rowLimit, isRow)) <= rowLimit;
    };
    if (need === "if-refused" && (await isReadable(null))) return null;
    const files = total < minTraces || findFiles === undefined ? null : await findFiles();
    if (!(await isReadable(files))) throw tooManyRows(rowLimit, loc, bounds);
    return files;
  };
};

export type RowLimitCheck = ReturnType<typeof rowLimitCheck>;
