/**
 * An instant in the stored form `2026-03-01T10:00:01.500000+00:00`: always UTC, without microseconds if they are
 * zero. Ordering the strings orders the instants.
 */
export type Instant = string;

const isoPattern = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

const daysIn = (year: number, month: number): number => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

const zoneMinutes = (zone: string): number | null => {
  if (zone === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
};

const secondsPerDay = 86_400;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Text of the last formatted day: lists have thousands of instants of a day. */
let lastDay = { number: 0, text: "1970-01-01" };

const dayText = (number: number): string => {
  if (lastDay.number !== number) {
    lastDay = { number, text: new Date(number * secondsPerDay * 1000).toISOString().slice(0, 10) };
  }
  return lastDay.text;
};

/** Returns the instant of epoch seconds and microseconds. */
export const instantFrom = (seconds: number, micros: number): Instant => {
  const day = Math.floor(seconds / secondsPerDay);
  const secondsOfDay = seconds - day * secondsPerDay;
  const [hour, minute] = [Math.floor(secondsOfDay / 3600), Math.floor(secondsOfDay / 60) % 60];
  const text = `${dayText(day)}T${twoDigits[hour]}:${twoDigits[minute]}:${twoDigits[secondsOfDay % 60]}`;
  return micros === 0 ? `${text}+00:00` : `${text}.${String(micros).padStart(6, "0")}+00:00`;
};

/**
 * Parses an ISO 8601 calendar date (midnight UTC) or date-time. A missing zone means UTC; digits after the sixth
 * decimal of a second are dropped.
 *
 * @returns null for an impossible date, for years outside 1 to 9999 in UTC, and for any other form.
 */
export const parseInstant = (text: string): Instant | null => {
  const match = isoPattern.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = match;
  const [y, mo, d, h, mi, s] = [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)];
  const shift = zoneMinutes(zone);
  if (y < 1 || mo < 1 || mo > 12 || d < 1 || d > daysIn(y, mo) || h > 23 || mi > 59 || s > 59 || shift === null) {
    return null;
  }
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  date.setUTCHours(h, mi - shift, s);
  if (date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) return null;
  return instantFrom(date.getTime() / 1000, Number(fraction.slice(0, 6).padEnd(6, "0")));
};

/** Formats an instant as responses have it, always with microseconds; a text that is not an instant stays as it is. */
export const withMicroseconds = (text: string): string => {
  const instant = parseInstant(text) ?? text;
  return instant.length === 25 ? `${instant.slice(0, 19)}.000000+00:00` : instant;
};

/** Returns the instant of an epoch time in milliseconds. */
export const instantAt = (milliseconds: number): Instant => {
  const whole = Math.trunc(milliseconds);
  const seconds = Math.floor(whole / 1000);
  return instantFrom(seconds, (whole - seconds * 1000) * 1000);
};

const fractionOf = (instant: Instant): number => (instant.length === 25 ? 0 : Number(instant.slice(20, 26)));

/** Returns the milliseconds between two instants, exact to the microsecond; negative if `to` is earlier. */
export const millisecondsBetween = (from: Instant, to: Instant): number =>
  ((Date.parse(`${to.slice(0, 19)}Z`) - Date.parse(`${from.slice(0, 19)}Z`)) * 1000 +
    fractionOf(to) -
    fractionOf(from)) /
  1000;

/** Returns the UTC day of an instant, `YYYY-MM-DD`. */
export const dayOf = (instant: Instant): string => instant.slice(0, 10);

/** Returns the end of a UTC day, epoch milliseconds. */
export const endOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) + 86_400_000;

/** Returns the epoch milliseconds of an instant, rounded down. */
export const epochOf = (instant: Instant): number =>
  Date.parse(`${instant.slice(0, 19)}Z`) + Math.floor(fractionOf(instant) / 1000);
