import * as v from "valibot";
import type { Hour } from "../../domain/analytics/bucket.ts";
import { otherHours, type HourRollup } from "../../domain/analytics/hour-rollup.ts";
import { packFigures, packModelUsage } from "./codec.ts";
import { farSort, hourSort, hoursPartition, type HourKey } from "./keys.ts";

/** Usage in far hours takes this much of an item; when it is more, readers go to the rows. */
const mostFarBytes = 300_000;

/** A day: longer than any function lives that could still write under an older generation. */
const emptySeconds = 86_400;

/** What tells how old an hour's items are and which there are beside the main one. */
export const mainItem = v.object({
  /** Generation: rises by one with every computation. */
  g: v.number(),
  /** Rows of the hour, of every expiry. */
  n: v.number(),
  /** When it was computed, epoch milliseconds. */
  at: v.number(),
  /** Other hours with an item. */
  f: v.optional(v.array(v.string()), []),
  /** Whether there is an item for more hours. */
  far: v.optional(v.boolean(), false),
  /** Whether documents had to be read for it. */
  r: v.optional(v.boolean(), false),
  /** Packed figures of the hour's traces, and what their spans used in it. */
  t: v.optional(v.instance(Uint8Array)),
  u: v.optional(v.instance(Uint8Array)),
});

export type MainItem = v.InferOutput<typeof mainItem>;

/** A rollup, made from so many rows. */
export interface Computed extends HourRollup {
  readonly rows: number;
  /** Whether documents had to be read, or what is known of some has yet to be forgotten. */
  readonly isRead: boolean;
  readonly at: number;
}

/** The key of an hour's main item. */
export const mainKey = (key: HourKey) => ({ pk: hoursPartition(key.project), sk: hourSort(key.hour, key) });

/** The items of a computed hour, and the keys of those of the one before that it has no more. */
export const hourItems = (key: HourKey, before: MainItem | null, { figures, usage, rows, isRead, at }: Computed) => {
  const pk = hoursPartition(key.project);
  const { near, far } = otherHours(usage, key.hour);
  const packed = (hours: readonly Hour[]): Buffer | undefined => {
    const found = hours.flatMap((hour) => {
      const models = usage.get(hour);
      return models === undefined ? [] : [[hour, models] as const];
    });
    return found.length === 0 ? undefined : packModelUsage(found);
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
      // Kept for a while, as the generation that a slow writer meets.
      ttl: figures.traces === 0 ? Math.ceil(at / 1000) + emptySeconds : undefined,
    },
    others: [
      ...near.map((hour) => ({ pk, sk: hourSort(hour, key), u: packed([hour]) })),
      ...(farUsage === undefined
        ? []
        : [{ pk, sk: farSort(key), u: farUsage.length > mostFarBytes ? undefined : farUsage }]),
    ],
    stale: [
      ...(before?.f ?? []).filter((hour) => !near.includes(hour)).map((hour) => ({ pk, sk: hourSort(hour, key) })),
      ...(before?.far === true && far.length === 0 ? [{ pk, sk: farSort(key) }] : []),
    ],
  };
};
