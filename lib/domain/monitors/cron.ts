import { Cron } from "croner";

/** A five-part cron expression as the values each part allows, ascending. Times are UTC. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: readonly number[];
  /** 1 to 31; null when the part is a star, alone or with a step of 1, and so does not restrict. */
  readonly daysOfMonth: readonly number[] | null;
  /** 0 (Sunday) to 6; null when the part does not restrict. */
  readonly daysOfWeek: readonly number[] | null;
}

const names = (from: number, ...words: readonly string[]): ReadonlyMap<string, number> =>
  new Map(words.map((word, index) => [word, from + index]));

const none: ReadonlyMap<string, number> = new Map();
const monthNames = names(1, "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
const dayNames = names(0, "sun", "mon", "tue", "wed", "thu", "fri", "sat");

interface Part {
  readonly first: number;
  readonly last: number;
  readonly names: ReadonlyMap<string, number>;
}

const parts = {
  minutes: { first: 0, last: 59, names: none },
  hours: { first: 0, last: 23, names: none },
  daysOfMonth: { first: 1, last: 31, names: none },
  months: { first: 1, last: 12, names: monthNames },
  // Both 0 and 7 are Sunday.
  daysOfWeek: { first: 0, last: 7, names: dayNames },
} as const satisfies Record<string, Part>;

const numberOf = (text: string, { first, last, names: words }: Part): number | null => {
  const value = words.get(text.toLowerCase()) ?? (/^\d{1,2}$/.test(text) ? Number(text) : Number.NaN);
  return value >= first && value <= last ? value : null;
};

/** The values of one item of a list: a value, a range or a step of either; null when it is none of them. */
const valuesOf = (item: string, part: Part): readonly number[] | null => {
  const [, range = "", step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(item) ?? [];
  const by = step === undefined ? 1 : Number(step);
  // A step over the days of the week counts one Sunday only.
  const end = part.last === 7 ? 6 : part.last;
  const [from, to] =
    range === "*"
      ? [part.first, end]
      : range.includes("-")
        ? range.split("-", 3).map((bound) => numberOf(bound, part))
        : [numberOf(range, part), step === undefined ? numberOf(range, part) : end];
  if (range.split("-").length > 2 || by === 0 || from === undefined || from === null) return null;
  if (to === undefined || to === null) return null;
  // A week that is written up to its Sunday ends with it.
  const last = part.last === 7 && to === 0 && from > 0 ? 7 : to;
  if (last < from) return null;
  return Array.from({ length: Math.floor((last - from) / by) + 1 }, (_, index) => from + index * by);
};

const setOf = (text: string, part: Part): readonly number[] | null => {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const found = valuesOf(item, part);
    if (found === null) return null;
    for (const value of found) values.add(part.last === 7 ? value % 7 : value);
  }
  return [...values].toSorted((a, b) => a - b);
};

const restricts = (text: string): boolean => text !== "*" && text !== "*/1";

/**
 * Reads a five-part cron expression: numbers, names, ranges, steps and lists.
 *
 * @returns null when it is not one.
 */
export const parseCron = (expression: string): CronFields | null => {
  const texts = expression.trim().split(/\s+/);
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = texts;
  if (texts.length !== 5) return null;
  const minutes = setOf(minute, parts.minutes);
  const hours = setOf(hour, parts.hours);
  const months = setOf(month, parts.months);
  const daysOfMonth = setOf(dayOfMonth, parts.daysOfMonth);
  const daysOfWeek = setOf(dayOfWeek, parts.daysOfWeek);
  if (minutes === null || hours === null || months === null || daysOfMonth === null || daysOfWeek === null) return null;
  return {
    minutes,
    hours,
    months,
    daysOfMonth: restricts(dayOfMonth) ? daysOfMonth : null,
    daysOfWeek: restricts(dayOfWeek) ? daysOfWeek : null,
  };
};

/**
 * The first instant after another at which an expression matches; where both days are restricted, either may match.
 *
 * @param after epoch milliseconds
 * @returns epoch milliseconds; null when it never matches again.
 */
export const nextMatch = (fields: CronFields, after: number): number | null => {
  const { minutes, hours, months, daysOfMonth, daysOfWeek } = fields;
  const pattern = [minutes, hours, daysOfMonth, months, daysOfWeek].map((values) => values?.join(",") ?? "*").join(" ");
  const cron = new Cron(pattern, { timezone: "UTC", paused: true });
  return cron.nextRun(new Date(after))?.getTime() ?? null;
};
