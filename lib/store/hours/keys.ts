import type { Hour } from "../../domain/analytics/bucket.ts";

/**
 * Key of an hourly rollup: the traces of a project that started in one hour and expire on one day, and whose rows lie
 * in one partition.
 */
export interface HourKey {
  readonly project: string;
  readonly hour: Hour;
  /**
   * UTC day on which the rows expire, `YYYY-MM-DD`; `-` for rows that never expire. It ends with the number of the
   * rows' partition, see `withPartition`.
   */
  readonly expiry: string;
}

/** Partition of a project's hourly rollups. */
export const hoursPartition = (project: string): string => `${project}#hours`;

/** Sort key of the usage in hour `spans` of traces that started in the hour of `key`. */
export const hourSort = (spans: Hour, key: Omit<HourKey, "project">): string => `${spans}#${hourName(key)}`;

/**
 * Prefix of the sort keys of items with usage in far hours: hours of spans far from their trace's start, which are too
 * many for an item each.
 */
export const farPrefix = "far#";

/** Sort key of the item with the usage in far hours (see `farPrefix`) of traces that started in the hour of `key`. */
export const farSort = (key: Omit<HourKey, "project">): string => `${farPrefix}${hourName(key)}`;

/** Name of an hour and expiry day within a project. */
export const hourName = ({ hour, expiry }: Omit<HourKey, "project">): string => `${hour}#${expiry}`;

/** Parses the name of an hour and expiry day. */
export const parseHourName = (name: string): Omit<HourKey, "project"> => {
  const [hour = "", expiry = ""] = name.split("#");
  return { hour, expiry };
};

/** Parses a sort key: the hour of the spans (or `far`), and the hour and expiry day of the traces. */
export const parseHourSort = (sort: string): { readonly spans: Hour } & Omit<HourKey, "project"> => {
  const cut = sort.indexOf("#");
  return { spans: sort.slice(0, cut), ...parseHourName(sort.slice(cut + 1)) };
};
