import * as v from "valibot";
import type { Totals } from "../audit/totals.ts";
import { mergedSort } from "./counter-merge.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";

/** Seconds a counter is kept after the items that it counts have expired. */
const expiryGraceSeconds = 86_400;

const partial = v.object({ sk: v.string(), n: v.number(), seq: v.optional(v.string()), ttl: v.optional(v.number()) });

/** A count of items, and their expiry in epoch seconds; `ttl` is absent if they never expire. */
export interface CountedItems {
  readonly n: number;
  readonly ttl?: number | undefined;
}

/** Returns the counter name that prefixes a partial sum's sort key, `#` included. */
const counterPrefixOf = (sort: string): string => sort.slice(0, sort.lastIndexOf("#") + 1);

/**
 * Counters of a partition as audited totals.
 *
 * @param isRead true for a counter prefix that some reader still sums; other counters are ignored.
 */
export const counterTotals = (database: Database, pk: string, isRead: (counter: string) => boolean) =>
  ({
    pk,
    version: "n",
    hasOneFingerprint: false,
    repairSort: mergedSort,
    read: async () => {
      const partials = [];
      for await (const item of itemsOf(database, "aggregates").query({ pk })) {
        const total = counterPrefixOf(String(item["sk"]));
        if (!isRead(total)) continue;
        const value = v.parse(partial, item);
        partials.push({ total, sort: value.sk, value, version: value.n });
      }
      return partials;
    },
    compare: (counter, counted, partials) => {
      const missing = (counted?.n ?? 0) - partials.reduce((sum, { value }) => sum + value.n, 0);
      if (missing === 0 || !isRead(counter)) return null;
      return {
        evidence: JSON.stringify([counted?.n, partials.map(({ value }) => value)]),
        repair: (before) => ({
          ...before,
          n: missing + (before?.n ?? 0),
          ttl: counted?.ttl === undefined ? partials[0]?.value.ttl : counted.ttl + expiryGraceSeconds,
        }),
      };
    },
  }) satisfies Totals<CountedItems, v.InferOutput<typeof partial>>;
