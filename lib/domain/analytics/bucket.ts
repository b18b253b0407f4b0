import type { Instant } from "../instant.ts";

export const granularities = ["hour", "day", "week"] as const;
export type Granularity = (typeof granularities)[number];

/** Time buckets: all of one size, or a single one that begins at `start` and holds everything. */
export type Buckets = Granularity | { readonly start: Instant };

/** A UTC hour, `YYYY-MM-DDTHH`. Ordering the strings orders the hours. */
export type Hour = string;

const millisecondsPerHour = 3_600_000;
const hoursPerDay = 24;

/** Returns the UTC hour of an instant. */
export const hourOf = (instant: Instant): Hour => instant.slice(0, 13);

/** Returns the number of hours from 1970 to an hour. */
export const hourNumber = (hour: Hour): number => Date.parse(`${hour}:00:00Z`) / millisecondsPerHour;

/** Returns the hour of an hour number: the inverse of `hourNumber`. */
export const hourText = (number: number): Hour => new Date(number * millisecondsPerHour).toISOString().slice(0, 13);

/** Returns the instant at which an hour begins. */
export const hourStart = (hour: Hour): Instant => `${hour}:00:00+00:00`;

/** Returns the day number of the Monday on or before a day. Day 0 is 1 January 1970, a Thursday. */
const mondayBefore = (day: number): number => day - ((((day + 3) % 7) + 7) % 7);

/**
 * Returns the start of the bucket that an hour belongs to: the hour, its UTC day, its week from Monday, or the start of
 * the single bucket.
 *
 * @example
 * bucketOf("2026-11-26T14", "week"); // "2026-11-23T00:00:00+00:00"
 */
export const bucketOf = (hour: Hour, granularity: Buckets): Instant => {
  if (typeof granularity === "object") return granularity.start;
  if (granularity === "hour") return hourStart(hour);
  const day = Math.floor(hourNumber(hour) / hoursPerDay);
  return hourStart(hourText((granularity === "day" ? day : mondayBefore(day)) * hoursPerDay));
};
