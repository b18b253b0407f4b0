import { Cron } from "croner";

const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Converts days of the week from EventBridge (1 is Sunday) to croner (0 is Sunday). */
const dayOfWeek = (field: string): string =>
  field.replace(/(^|[,-])([1-7])(?=$|[,#L-])/g, (_whole, before: string, day: string) => `${before}${Number(day) - 1}`);

const every = (field: string, last: number): string => field.replace(/(^|,)(\d+)\/(\d+)/g, `$1$2-${last}/$3`);

const cronOf = (fields: readonly string[]): string => {
  const [minute = "", hour = "", dayOfMonth = "", month = "", weekDay = "", year = "*"] = fields;
  const any = (field: string): string => (field === "?" ? "*" : field);
  return [
    "0",
    every(minute, 59),
    every(hour, 23),
    any(every(dayOfMonth, 31)),
    every(month, 12),
    dayOfWeek(any(weekDay)),
    year,
  ].join(" ");
};

/**
 * Computes the next firing of a schedule expression after an instant.
 *
 * @param from the previous firing, or the creation of the schedule, in epoch milliseconds
 * @returns epoch milliseconds; undefined when the schedule never fires again
 * @throws Error for an invalid or unsupported expression
 * @example
 * nextFiring("rate(5 minutes)", "UTC", from); // from + 300_000
 */
export const nextFiring = (expression: string, timeZone: string, from: number): number | undefined => {
  const [, kind, inner = ""] = /^(rate|at|cron)\((.+)\)$/.exec(expression) ?? [];
  if (kind === "rate") {
    const [, count, unit] = /^(\d+) (minute|hour|day)s?$/.exec(inner) ?? [];
    if (count !== undefined) return from + Number(count) * unitMs[unit as keyof typeof unitMs];
  }
  if (kind === "at") {
    const at = new Cron(inner, { timezone: timeZone }).nextRun(new Date(from));
    return at?.getTime();
  }
  if (kind === "cron") {
    const cron = new Cron(cronOf(inner.split(/\s+/)), { timezone: timeZone, paused: true, domAndDow: true });
    return cron.nextRun(new Date(from))?.getTime();
  }
  throw new Error(`The local Scheduler does not support the expression ${expression}.`);
};
