import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { withRetries, throwContention } from "../../dynamo/with-retries.ts";
import { counterMerge } from "./counter-merge.ts";
import type { Database } from "../../dynamo/database.ts";
import { isExpiredDay, neverExpires } from "../../dynamo/expiry.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";

/** A change of a counter by one, derived from a stream record. */
export interface CounterChange {
  readonly project: string;
  /** Partition key of the counter in the table `aggregates`. */
  readonly partition: string;
  /** Prefix of the counter's sort keys, ending with `#`. */
  readonly counter: string;
  /** UTC day on which the counted item expires, `YYYY-MM-DD`; `-` if it never expires. */
  readonly expiry: string;
  readonly change: 1 | -1;
  /** Sequence number of the stream record, rising within its shard. */
  readonly sequence: bigint;
}

/** A counter's partial sum of one stream shard. */
interface Partial {
  readonly sort: string;
  readonly n: number;
}

/** Max counters whose partial sums a worker remembers, about 10 MB. */
const maxRemembered = 20_000;

const partial = v.object({
  n: v.number(),
  seq: v.pipe(
    v.string(),
    v.transform((text) => BigInt(text)),
  ),
});

const sum = v.object({ sk: v.string(), n: v.number() });

/** Counters folded at the same time; the changes of one counter stay in order. */
const parallelFolds = 20;

/** Seconds a counter is kept after its items have expired, to tolerate clock differences. */
const counterGraceSeconds = 86_400;

/**
 * Store of counters in the table `aggregates`. Each counter is a partial sum per stream shard with the last sequence
 * number it contains, so that a redelivered record is not counted twice. Items that expire on different days have
 * separate counters: an expired day leaves a total without a write. The store remembers what it wrote, so that a later
 * batch of the shard takes one request for each counter.
 */
export const counterStore = (database: Database, now: () => number = Date.now) => {
  const aggregates = itemsOf(database, "aggregates");
  const mergeQuietPartials = counterMerge(database, now);
  const remembered = new Map<string, v.InferOutput<typeof partial>>();

  const foldOne = async (
    shard: string,
    changes: readonly [CounterChange, ...(readonly CounterChange[])],
  ): Promise<void> => {
    const [{ partition, counter, expiry }] = changes;
    const key = { pk: partition, sk: counter + shard };
    const name = `${key.pk}\n${key.sk}`;
    // Two workers fold the same shard only when one of them is late.
    await withRetries(
      immediateRetryPolicy,
      throwContention("The counter changed during every attempt to update it."),
      async () => {
        const ownWrite = remembered.get(name);
        // Only a successful write is remembered again: another worker may have changed the sum, or removed it by a merge.
        remembered.delete(name);
        const item = ownWrite === undefined ? await aggregates.get(key) : undefined;
        const before = ownWrite ?? (item === undefined ? null : v.parse(partial, item));
        const newChanges = changes.filter(({ sequence }) => before === null || sequence > before.seq);
        const last = newChanges.at(-1);
        if (last === undefined) return;
        const n = newChanges.reduce((total, { change }) => total + change, before?.n ?? 0);
        const ttl = expiry === neverExpires ? undefined : Date.parse(expiry) / 1000 + counterGraceSeconds;
        await aggregates.put(
          { ...key, n, seq: String(last.sequence), at: now(), ttl },
          before === null
            ? { when: ifAbsent }
            : { when: "seq = :seq AND n = :n", values: { ":seq": String(before.seq), ":n": before.n } },
        );
        if (remembered.size >= maxRemembered) remembered.clear();
        remembered.set(name, { n, seq: last.sequence });
        if (before === null) await mergeQuietPartials(partition, counter);
      },
    );
  };

  return {
    /**
     * Adds changes of one stream shard, each exactly once however often and in whatever batches they are delivered.
     *
     * @throws the error of the first counter that could not be written, after all others were.
     */
    fold: async (shard: string, changes: readonly CounterChange[]): Promise<void> => {
      // Counters of an expired day are never read.
      const unexpiredChanges = changes.filter(({ expiry }) => !isExpiredDay(expiry, now()));
      const counters = Map.groupBy(unexpiredChanges, ({ partition, counter }) => `${partition}\n${counter}`);
      await mapConcurrently(counters.values(), parallelFolds, async ([first, ...laterChanges]) => {
        if (first !== undefined) await foldOne(shard, [first, ...laterChanges]);
      });
    },

    /**
     * Returns the partial sums of the counters whose sort keys lie between two texts, inclusive; may lag writes by
     * seconds.
     */
    between: async (partition: string, first: string, last: string): Promise<readonly Partial[]> => {
      const partials: Partial[] = [];
      for await (const item of aggregates.query({ pk: partition, between: [first, last], strongly: false })) {
        // A later version of the service may store other items in this partition.
        const parsed = v.safeParse(sum, item);
        if (parsed.success) partials.push({ sort: parsed.output.sk, n: parsed.output.n });
      }
      return partials;
    },
  };
};
