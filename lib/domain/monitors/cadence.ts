import { nextMatch, parseCron, type CronFields } from "./cron.ts";

const hour = 3_600_000;
const minute = 60_000;

/** Length of each named cadence in hours, counted from the monitor's anchor. */
const intervals = { every_6h: 6, daily: 24, weekly: 168 } as const;

type Word = keyof typeof intervals;

const isWord = (text: string): text is Word => Object.hasOwn(intervals, text);

/** Schedule of a monitor: a fixed number of hours from an anchor, without drift, or a cron expression in UTC. */
export type Cadence =
  | { readonly kind: "interval"; readonly hours: number }
  | { readonly kind: "cron"; readonly fields: CronFields };

/** An error in a cadence, with a message for the user. */
export interface CadenceFlaw {
  readonly kind: "flaw";
  readonly message: string;
}

const cronPrefix = "cron:";

/** Returns the stored form of a cadence: a cron expression is trimmed, and has spaces in place of tabs. */
export const normalCadence = (text: string): string =>
  text.startsWith(cronPrefix) ? `${cronPrefix}${text.slice(cronPrefix.length).trim().replaceAll(/\s/gu, " ")}` : text;

/** Maximum characters of an EventBridge schedule expression. */
const maxExpressionLength = 256;

/** Formats values in EventBridge syntax: three or more consecutive values become a range. */
const listOf = (values: readonly number[]): string => {
  const runs: number[][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  return runs.map((run) => (run.length < 3 ? run.join(",") : `${run[0]}-${run.at(-1)}`)).join(",");
};

const isUnrestricted = (values: readonly number[] | null, count: number): boolean =>
  values === null || values.length === count;

const partOf = (values: readonly number[], count: number): string =>
  isUnrestricted(values, count) ? "*" : listOf(values);

/**
 * Returns EventBridge expressions that together fire at the instants of a cadence, some instants perhaps twice. One
 * expression cannot restrict both the day of the month and the day of the week, and days of the week count from 1,
 * Sunday. An interval also needs a start date.
 */
export const scheduleExpressions = (cadence: Cadence): readonly string[] => {
  if (cadence.kind === "interval") return [`rate(${cadence.hours} hours)`];
  const { minutes, hours, months, daysOfMonth, daysOfWeek } = cadence.fields;
  const expression = (dayOfMonth: string, dayOfWeek: string): string =>
    `cron(${partOf(minutes, 60)} ${partOf(hours, 24)} ${dayOfMonth} ${partOf(months, 12)} ${dayOfWeek} *)`;
  const byMonth = (days: readonly number[]): string => expression(listOf(days), "?");
  const byWeek = (days: readonly number[]): string => expression("?", listOf(days.map((day) => day + 1)));
  // Cron fires if either day matches: a day field with all values makes the other one meaningless.
  if (daysOfMonth === null) return daysOfWeek === null ? [expression("*", "?")] : [byWeek(daysOfWeek)];
  if (daysOfWeek === null) return [byMonth(daysOfMonth)];
  if (isUnrestricted(daysOfMonth, 31) || isUnrestricted(daysOfWeek, 7)) return [expression("*", "?")];
  // EventBridge rejects a schedule that never fires, such as 31 April.
  const matchesMonthDays = nextMatch({ ...cadence.fields, daysOfWeek: null }, 0) !== null;
  return [...(matchesMonthDays ? [byMonth(daysOfMonth)] : []), byWeek(daysOfWeek)];
};

/** Parses the cadence of a monitor. */
export const parseCadence = (text: string): Cadence | CadenceFlaw => {
  if (isWord(text)) return { kind: "interval", hours: intervals[text] };
  const flaw = (message: string): CadenceFlaw => ({ kind: "flaw", message });
  if (!text.startsWith(cronPrefix)) {
    const words = Object.keys(intervals).join(", ");
    return flaw(`Invalid cadence '${text}'. Must be one of ${words} or 'cron:<expression>'.`);
  }
  const expression = normalCadence(text).slice(cronPrefix.length);
  if (expression === "") return flaw("Cron expression must not be empty after 'cron:' prefix.");
  const fields = parseCron(expression);
  if (fields === null) return flaw(`Invalid cron expression: '${expression}'`);
  const cadence: Cadence = { kind: "cron", fields };
  if (nextMatch(fields, 0) === null) return flaw(`Cron expression '${expression}' never matches.`);
  if (scheduleExpressions(cadence).some(({ length }) => length > maxExpressionLength)) {
    return flaw(`Cron expression '${expression}' has more values than a schedule can hold.`);
  }
  return cadence;
};

/**
 * Returns the anchor of a cadence that starts now: the next whole minute, since EventBridge Scheduler has no seconds.
 *
 * @param now epoch milliseconds.
 */
export const anchorAt = (now: number): number => Math.ceil(now / minute) * minute;

/**
 * Computes the first instant of a cadence after another, all in epoch milliseconds and whole minutes.
 *
 * @param anchor start of an interval: the monitor's creation, its last change of cadence or its resumption.
 * @throws Error if a cron expression never matches again.
 */
export const nextInstant = (cadence: Cadence, anchor: number, after: number): number => {
  if (cadence.kind === "interval") {
    const period = cadence.hours * hour;
    return anchor + Math.max(1, Math.floor((after - anchor) / period) + 1) * period;
  }
  const next = nextMatch(cadence.fields, after);
  if (next === null) throw new Error("A cron expression never matches again.");
  return next;
};
