import * as v from "valibot";
import type { Hour } from "../../domain/analytics/bucket.ts";
import { otherHours, type HourRollup } from "../../domain/analytics/hour-rollup.ts";
import { packFigures, packModelUsage } from "./codec.ts";
import { farSort, hourSort, hoursPartition, type HourKey } from "./keys.ts";

/**
 * Max bytes of the item with usage in far hours: hours of spans too far from their trace's start for an item each.
 * Usage above this size is not stored, and readers use the rows.
 */
const maxFarBytes = 300_000;

/**
 * Seconds (a day) that the item of an empty hour is stored: longer than any function runs that could still write an
 * older generation.
 */
const emptySeconds = 86_400;

/** Schema of the main item of an hour: its generation, and a list of the hour's other items. */
export const mainItem = v.object({
  /** Generation: increases by one with every computation. */
  g: v.number(),
  /** Number of rows of the hour in the partition, of all expiries. */
  n: v.number(),
  /** Time of the computation, epoch milliseconds. */
  at: v.number(),
  /** Other hours of spans whose usage has an item of its own. */
  f: v.optional(v.array(v.string()), []),
  /** True if there is an item for usage in far hours, which have no items of their own. */
  far: v.optional(v.boolean(), false),
  /** True if the computation of the hour read trace documents. */
  r: v.optional(v.boolean(), false),
  /** Packed figures of the hour's traces (`t`), and packed usage of their spans in the same hour (`u`). */
  t: v.optional(v.instance(Uint8Array)),
  u: v.optional(v.instance(Uint8Array)),
});

/** Main item of an hour's rollup, as stored. */
export type MainItem = v.InferOutput<typeof mainItem>;

/** A computed rollup and the number of rows that it was computed from. */
export interface ComputedHour extends HourRollup {
  readonly rows: number;
  /** True if documents were read, or cached usage of documents must still be deleted. */
  readonly hasReadDocuments: boolean;
  readonly at: number;
}

/** Key of an hour's main item. */
export const mainKey = (key: HourKey) => ({ pk: hoursPartition(key.project), sk: hourSort(key.hour, key) });

/** Returns the items of a computed hour, and the keys of the previous computation's items that are no longer needed. */
export const hourItems = (
  key: HourKey,
  before: MainItem | null,
  { figures, usage, rows, hasReadDocuments: isRead, at }: ComputedHour,
) => {
  const pk = hoursPartition(key.project);
  const { near, far } = otherHours(usage, key.hour);
  const packed = (hours: readonly Hour[]): Buffer | undefined => {
    const usageOfHours = hours.flatMap((hour) => {
      const models = usage.get(hour);
      return models === undefined ? [] : [[hour, models] as const];
    });
    return usageOfHours.length === 0 ? undefined : packModelUsage(usageOfHours);
  };
  const farUsage = packed(far);
  return {
    main: {
      ...mainKey(key),
      g: (before?.g ?? 0) + 1,
      n: rows,
      at,
      t: packFigures(figures),
      u: packed([key.hour]),
      f: near.length === 0 ? undefined : near,
      far: far.length === 0 ? undefined : true,
      r: isRead ? true : undefined,
      // The item of an empty hour stays for a day, so that a slow writer finds its generation and does not overwrite
      // it.
      ttl: figures.traces === 0 ? Math.ceil(at / 1000) + emptySeconds : undefined,
    },
    otherItems: [
      ...near.map((hour) => ({ pk, sk: hourSort(hour, key), u: packed([hour]) })),
      ...(farUsage === undefined
        ? []
        : [{ pk, sk: farSort(key), u: farUsage.length > maxFarBytes ? undefined : farUsage }]),
    ],
    stale: [
      ...(before?.f ?? []).filter((hour) => !near.includes(hour)).map((hour) => ({ pk, sk: hourSort(hour, key) })),
      ...(before?.far === true && far.length === 0 ? [{ pk, sk: farSort(key) }] : []),
    ],
  };
};
