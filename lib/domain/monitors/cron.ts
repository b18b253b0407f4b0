import { Cron } from "croner";

/** A parsed cron expression of five fields: the allowed values of each, ascending. Times are UTC. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: readonly number[];
  /** Days of the month, 1 to 31; null if the field does not restrict: a star, alone or with a step of 1. */
  readonly daysOfMonth: readonly number[] | null;
  /** Days of the week, 0 (Sunday) to 6; null if the field does not restrict. */
  readonly daysOfWeek: readonly number[] | null;
}

const names = (from: number, ...words: readonly string[]): ReadonlyMap<string, number> =>
  new Map(words.map((word, index) => [word, from + index]));

const noNames: ReadonlyMap<string, number> = new Map();
const monthNames = names(1, "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
const dayNames = names(0, "sun", "mon", "tue", "wed", "thu", "fri", "sat");

interface Part {
  readonly first: number;
  readonly last: number;
  readonly names: ReadonlyMap<string, number>;
}

const parts = {
  minutes: { first: 0, last: 59, names: noNames },
  hours: { first: 0, last: 23, names: noNames },
  daysOfMonth: { first: 1, last: 31, names: noNames },
  months: { first: 1, last: 12, names: monthNames },
  // Both 0 and 7 are Sunday.
  daysOfWeek: { first: 0, last: 7, names: dayNames },
} as const satisfies Record<string, Part>;

const numberOf = (text: string, { first, last, names: words }: Part): number | null => {
  const value = words.get(text.toLowerCase()) ?? (/^\d{1,2}$/.test(text) ? Number(text) : Number.NaN);
  return value >= first && value <= last ? value : null;
};

/** Returns the values of a list item (a value, a range or a step); null if it is malformed. */
const valuesOf = (item: string, part: Part): readonly number[] | null => {
  const [, range = "", step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(item) ?? [];
  const stepSize = step === undefined ? 1 : Number(step);
  // A step over the days of the week counts Sunday once.
  const end = part.last === 7 ? 6 : part.last;
  const [from, to] =
    range === "*"
      ? [part.first, end]
      : range.includes("-")
        ? range.split("-", 3).map((bound) => numberOf(bound, part))
        : [numberOf(range, part), step === undefined ? numberOf(range, part) : end];
  if (range.split("-").length > 2 || stepSize === 0 || from === undefined || from === null) return null;
  if (to === undefined || to === null) return null;
  // A range such as `mon-sun` ends with Sunday as 7.
  const last = part.last === 7 && to === 0 && from > 0 ? 7 : to;
  if (last < from) return null;
  return Array.from({ length: Math.floor((last - from) / stepSize) + 1 }, (_, index) => from + index * stepSize);
};

const valuesOfPart = (text: string, part: Part): readonly number[] | null => {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const itemValues = valuesOf(item, part);
    if (itemValues === null) return null;
    for (const value of itemValues) values.add(part.last === 7 ? value % 7 : value);
  }
  return [...values].toSorted((a, b) => a - b);
};

const isRestricting = (text: string): boolean => text !== "*" && text !== "*/1";

/**
 * Parses a cron expression of five fields with numbers, names, ranges, steps and lists.
 *
 * @returns null if it is malformed.
 */
export const parseCron = (expression: string): CronFields | null => {
  const texts = expression.trim().split(/\s+/);
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = texts;
  if (texts.length !== 5) return null;
  const minutes = valuesOfPart(minute, parts.minutes);
  const hours = valuesOfPart(hour, parts.hours);
  const months = valuesOfPart(month, parts.months);
  const daysOfMonth = valuesOfPart(dayOfMonth, parts.daysOfMonth);
  const daysOfWeek = valuesOfPart(dayOfWeek, parts.daysOfWeek);
  if (minutes === null || hours === null || months === null || daysOfMonth === null || daysOfWeek === null) return null;
  return {
    minutes,
    hours,
    months,
    daysOfMonth: isRestricting(dayOfMonth) ? daysOfMonth : null,
    daysOfWeek: isRestricting(dayOfWeek) ? daysOfWeek : null,
  };
};

/**
 * Computes the first match of a cron expression after an instant; if both days are restricted, either may match.
 *
 * @param after epoch milliseconds.
 * @returns epoch milliseconds; null if it never matches again.
 */
export const nextMatch = (fields: CronFields, after: number): number | null => {
  const { minutes, hours, months, daysOfMonth, daysOfWeek } = fields;
  const pattern = [minutes, hours, daysOfMonth, months, daysOfWeek].map((values) => values?.join(",") ?? "*").join(" ");
  const cron = new Cron(pattern, { timezone: "UTC", paused: true });
  return cron.nextRun(new Date(after))?.getTime() ?? null;
};
