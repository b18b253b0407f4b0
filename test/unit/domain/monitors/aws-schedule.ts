/**
 * EventBridge Scheduler's cron expressions, read by AWS's documentation alone ("Schedule types in EventBridge Scheduler":
 * six fields; days of the week 1 to 7 from Sunday; one of the two day fields is `?`).
 */

const allows = (field: string, value: number): boolean =>
  field.split(",").some((item) => {
    if (item === "*" || item === "?") return true;
    const [from = "", to = from] = item.split("-");
    if (!/^\d+$/.test(from) || !/^\d+$/.test(to)) throw new Error(`Not of AWS's grammar: ${item}`);
    return Number(from) <= value && value <= Number(to);
  });

const ranges: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [1, 7],
];

const within = (field: string, [low, high]: readonly [number, number]): boolean =>
  [...field.matchAll(/\d+/g)].every(([digits]) => Number(digits) >= low && Number(digits) <= high);

const valuesOf = (field: string, last: number): number[] =>
  Array.from({ length: last + 1 }, (_, value) => value).filter((value) => allows(field, value));

/**
 * Instants of an AWS cron expression between two instants, epoch milliseconds, ascending.
 * @throws Error when AWS would refuse the expression.
 */
export function* awsInstants(expression: string, from: number, until: number): Generator<number> {
  const [, inner = ""] = /^cron\((.+)\)$/.exec(expression) ?? [];
  const fields = inner.split(" ");
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = "", year = ""] = fields;
  const oneDay = (dayOfMonth === "?") !== (dayOfWeek === "?");
  const wrong = fields.slice(0, 5).some((field, index) => !within(field, ranges[index] ?? [0, 0]));
  if (fields.length !== 6 || year !== "*" || !oneDay || wrong || expression.length > 256) {
    throw new Error(`AWS refuses ${expression}`);
  }
  const [minutes, hours] = [valuesOf(minute, 59), valuesOf(hour, 23)];
  for (let day = Math.floor(from / 86_400_000) * 86_400_000; day < until; day += 86_400_000) {
    const date = new Date(day);
    if (!allows(month, date.getUTCMonth() + 1)) continue;
    if (!allows(dayOfMonth, date.getUTCDate()) || !allows(dayOfWeek, date.getUTCDay() + 1)) continue;
    for (const h of hours) {
      for (const m of minutes) {
        const instant = day + h * 3_600_000 + m * 60_000;
        if (instant >= from && instant < until) yield instant;
      }
    }
  }
}
