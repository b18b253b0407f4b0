import { nextMatch, parseCron, type CronFields } from "./cron.ts";

const hour = 3_600_000;
const minute = 60_000;

/** Cadences that count from an anchor, in hours. */
const intervals = { every_6h: 6, daily: 24, weekly: 168 } as const;

type Word = keyof typeof intervals;

const isWord = (text: string): text is Word => Object.hasOwn(intervals, text);

/** When a monitor fires: every so many hours from an anchor without drift, or by a cron expression in UTC. */
export type Cadence =
  | { readonly kind: "interval"; readonly hours: number }
  | { readonly kind: "cron"; readonly fields: CronFields };

/** What is wrong with a cadence, in words for who wrote it. */
export interface CadenceFlaw {
  readonly kind: "flaw";
  readonly message: string;
}

const cronPrefix = "cron:";

/** A cadence as it is stored: outer blanks of a cron expression dropped, else as written. */
export const normalCadence = (text: string): string =>
  text.startsWith(cronPrefix) ? `${cronPrefix}${text.slice(cronPrefix.length).trim()}` : text;

/** AWS's limit of a schedule expression, in characters. */
const longestExpression = 256;

/** Values as AWS writes them: runs of three and more as ranges. */
const listOf = (values: readonly number[]): string => {
  const runs: number[][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  return runs.map((run) => (run.length < 3 ? run.join(",") : `${run[0]}-${run.at(-1)}`)).join(",");
};

const all = (values: readonly number[] | null, count: number): boolean => values === null || values.length === count;

const partOf = (values: readonly number[], count: number): string => (all(values, count) ? "*" : listOf(values));

/**
 * EventBridge expressions that together fire at the instants of a cadence, some instants perhaps twice: AWS cannot
 * restrict both days in one expression, and counts the days of the week from 1, Sunday. An interval needs a start date.
 */
export const scheduleExpressions = (cadence: Cadence): readonly string[] => {
  if (cadence.kind === "interval") return [`rate(${cadence.hours} hours)`];
  const { minutes, hours, months, daysOfMonth, daysOfWeek } = cadence.fields;
  const expression = (dayOfMonth: string, dayOfWeek: string): string =>
    `cron(${partOf(minutes, 60)} ${partOf(hours, 24)} ${dayOfMonth} ${partOf(months, 12)} ${dayOfWeek} *)`;
  const byMonth = (days: readonly number[]): string => expression(listOf(days), "?");
  const byWeek = (days: readonly number[]): string => expression("?", listOf(days.map((day) => day + 1)));
  // Either of the days may match, so a part that names every day leaves the other nothing to restrict.
  if (daysOfMonth === null) return daysOfWeek === null ? [expression("*", "?")] : [byWeek(daysOfWeek)];
  if (daysOfWeek === null) return [byMonth(daysOfMonth)];
  if (all(daysOfMonth, 31) || all(daysOfWeek, 7)) return [expression("*", "?")];
  // A schedule that never fires, as on 31 April, is none.
  const everInMonth = nextMatch({ ...cadence.fields, daysOfWeek: null }, 0) !== null;
  return [...(everInMonth ? [byMonth(daysOfMonth)] : []), byWeek(daysOfWeek)];
};

/** Reads a cadence as a monitor gives it. */
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
  if (scheduleExpressions(cadence).some(({ length }) => length > longestExpression)) {
    return flaw(`Cron expression '${expression}' has more values than a schedule can hold.`);
  }
  return cadence;
};

/** The anchor of a cadence that begins then: the whole minute, rounded up; the Scheduler knows no seconds. */
export const anchorAt = (now: number): number => Math.ceil(now / minute) * minute;

/**
 * The first instant of a cadence after another, all in epoch milliseconds and whole minutes.
 *
 * @param anchor what an interval counts from: the monitor's creation, its change of cadence or its resumption.
 * @throws Error when a cron expression, which once matched, never matches again.
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
