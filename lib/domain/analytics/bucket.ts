import type { Instant } from "../instant.ts";

export const granularities = ["hour", "day", "week"] as const;
export type Granularity = (typeof granularities)[number];

/** A UTC hour, `YYYY-MM-DDTHH`. Ordering the strings orders the hours. */
export type Hour = string;

const millisecondsPerHour = 3_600_000;
const hoursPerDay = 24;

/** The hour that an instant falls into. */
export const hourOf = (instant: Instant): Hour => instant.slice(0, 13);

/** Hours from 1970 to an hour. */
export const hourNumber = (hour: Hour): number => Date.parse(`${hour}:00:00Z`) / millisecondsPerHour;

/** The hour of that number. */
export const hourText = (number: number): Hour => new Date(number * millisecondsPerHour).toISOString().slice(0, 13);

/** The instant at which an hour begins. */
export const hourStart = (hour: Hour): Instant => `${hour}:00:00+00:00`;

/** 1970 began on a Thursday; weeks begin on Monday. */
const mondayBefore = (day: number): number => day - ((((day + 3) % 7) + 7) % 7);

/** The instant at which the bucket of an hour begins: the hour, its UTC day or its week from Monday on. */
export const bucketOf = (hour: Hour, granularity: Granularity): Instant => {
  if (granularity === "hour") return hourStart(hour);
  const day = Math.floor(hourNumber(hour) / hoursPerDay);
  return hourStart(hourText((granularity === "day" ? day : mondayBefore(day)) * hoursPerDay));
};
