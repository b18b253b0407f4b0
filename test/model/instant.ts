/** Microseconds since 1970, the precision of timestamps. */
export type Micros = bigint;

const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?(?:Z|(?:([+-])(\d\d)(?::?(\d\d))?))?)?$/;

const second = 1_000_000n;
const [minute, hour, day] = [60n * second, 3_600n * second, 86_400n * second];

/** Parses a timestamp of a request or reply. @throws Error for invalid text. */
export const micros = (text: string): Micros => {
  const match = form.exec(text);
  if (match === null) throw new Error(`${text} is no timestamp.`);
  const [, y, mo, d, h = "0", mi = "0", s = "0", fraction = "", sign = "+", zh = "0", zm = "0"] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(y), Number(mo) - 1, Number(d));
  const zone = (BigInt(zh) * 60n + BigInt(zm)) * (sign === "-" ? -1n : 1n);
  return (
    BigInt(date.getTime()) * 1000n +
    BigInt(h) * hour +
    (BigInt(mi) - zone) * minute +
    BigInt(s) * second +
    BigInt(fraction.padEnd(6, "0"))
  );
};

/** The largest multiple of `unit` that is at most `value`. */
const floorTo = (value: bigint, unit: bigint): bigint => value - (((value % unit) + unit) % unit);

/** A timestamp in the format of replies: microseconds and an explicit offset. */
export const timestampOf = (at: Micros): string => {
  const [wholeSeconds, fraction] = [floorTo(at, second), at - floorTo(at, second)];
  const text = new Date(Number(wholeSeconds / 1000n)).toISOString().slice(0, 19);
  return `${text}.${String(fraction).padStart(6, "0")}+00:00`;
};

export type Granularity = "hour" | "day" | "week";

/** Start of the UTC hour, day or week (from Monday) of an instant. */
export const bucketOf = (at: Micros, granularity: Granularity): Micros => {
  if (granularity === "hour") return floorTo(at, hour);
  if (granularity === "day") return floorTo(at, day);
  // 1970 began on a Thursday, three days after a Monday.
  return floorTo(at + 3n * day, 7n * day) - 3n * day;
};

/** Milliseconds between two instants; null when one is missing or the second is earlier. */
export const latency = (from: Micros, to: Micros | null): number | null =>
  to === null || to < from ? null : Number(to - from) / 1000;
