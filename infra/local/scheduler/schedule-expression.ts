import { Cron } from "croner";

const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** EventBridge counts days of the week from 1, Sunday; croner from 0. */
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
 * The first instant at which a schedule fires after another, in epoch milliseconds.
 *
 * @param from the previous firing, or when the schedule was made
 * @returns undefined when it never fires again.
 * @throws Error for an expression it cannot read.
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
  throw new Error(`The local Scheduler cannot read ${expression}.`);
};
