import * as v from "valibot";
import type { Hour } from "../domain/analytics/bucket.ts";
import type { HourKey } from "../store/hours/keys.ts";
import type { RowChange } from "./row-change.ts";

/** The hours whose traces have changed within a window of the stream, as its state carries them: project, hour, expiries. */
export const changedHours = v.optional(v.record(v.string(), v.record(v.string(), v.array(v.string()))), {});

export type ChangedHours = Readonly<Record<string, Readonly<Record<Hour, readonly string[]>>>>;

/** The hours of a window with those of more changes. */
export const withChanges = (before: ChangedHours, changes: readonly RowChange[]): ChangedHours => {
  const all: Record<string, Record<Hour, readonly string[]>> = Object.fromEntries(
    Object.entries(before).map(([project, hours]) => [project, { ...hours }]),
  );
  for (const { project, hour, before, after } of changes) {
    const hours = (all[project] ??= {});
    hours[hour] = [...new Set([...(hours[hour] ?? []), before, after])].filter((expiry) => expiry !== null);
  }
  return all;
};

/** The hours one by one. */
export const hourKeys = (changed: ChangedHours): readonly HourKey[] =>
  Object.entries(changed).flatMap(([project, hours]) =>
    Object.entries(hours).flatMap(([hour, expiries]) => expiries.map((expiry) => ({ project, hour, expiry }))),
  );
