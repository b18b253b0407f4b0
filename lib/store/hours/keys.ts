import type { Hour } from "../../domain/analytics/bucket.ts";

/** The traces of a project that started in one hour and expire on one day: what is computed and stored together. */
export interface HourKey {
  readonly project: string;
  readonly hour: Hour;
  /** UTC day on which their rows expire, `YYYY-MM-DD`; `-` for rows that are kept. */
  readonly expiry: string;
}

/** Partition of a project's hours. */
export const hoursPartition = (project: string): string => `${project}#hours`;

/** Sort key of what spans of an hour add, from traces that started in the same or another hour. */
export const hourSort = (spans: Hour, key: Omit<HourKey, "project">): string => `${spans}#${hourName(key)}`;

/** Begins the sort keys of what lies in too many hours for an item each. */
export const farPrefix = "far#";

export const farSort = (key: Omit<HourKey, "project">): string => `${farPrefix}${hourName(key)}`;

/** One hour of one expiry within a project, as text. */
export const hourName = ({ hour, expiry }: Omit<HourKey, "project">): string => `${hour}#${expiry}`;

/** The hour and expiry of such a text. */
export const hourNamed = (name: string): Omit<HourKey, "project"> => {
  const [hour = "", expiry = ""] = name.split("#");
  return { hour, expiry };
};

/** The parts of a sort key: the hour of the spans (or `far`), and which hour's traces they are of. */
export const partsOfSort = (sort: string): { readonly spans: Hour } & Omit<HourKey, "project"> => {
  const cut = sort.indexOf("#");
  return { spans: sort.slice(0, cut), ...hourNamed(sort.slice(cut + 1)) };
};
