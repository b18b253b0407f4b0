import * as v from "valibot";
import type { Hour } from "../domain/analytics/bucket.ts";
import type { HourKey } from "../store/hours/keys.ts";
import { withPartition } from "../store/traces/keys.ts";
import type { RowChange } from "./row-change.ts";

/** Schema of the state of a stream window: hours with changed traces, by project, with the expiries of the traces. */
export const changedHours = v.optional(v.record(v.string(), v.record(v.string(), v.array(v.string()))), {});

/** Hours with changed traces, by project and hour, with the expiries of the traces. */
export type ChangedHours = Readonly<Record<string, Readonly<Record<Hour, readonly string[]>>>>;

/** Adds the hours of row changes to the hours of a window. */
export const withChanges = (before: ChangedHours, changes: readonly RowChange[]): ChangedHours => {
  const merged: Record<string, Record<Hour, readonly string[]>> = Object.fromEntries(
    Object.entries(before).map(([project, hours]) => [project, { ...hours }]),
  );
  for (const { project, partition, hour, before, after } of changes) {
    const hours = (merged[project] ??= {});
    const expiries = [before, after].flatMap((expiry) => (expiry === null ? [] : withPartition(expiry, partition)));
    hours[hour] = [...new Set([...(hours[hour] ?? []), ...expiries])];
  }
  return merged;
};

/** Flattens the changed hours to the keys of hourly rollups. */
export const hourKeys = (changed: ChangedHours): readonly HourKey[] =>
  Object.entries(changed).flatMap(([project, hours]) =>
    Object.entries(hours).flatMap(([hour, expiries]) => expiries.map((expiry) => ({ project, hour, expiry }))),
  );
