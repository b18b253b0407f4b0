import * as v from "valibot";
import type { TraceRow } from "../../domain/traces/row.ts";
import { batchGet, batchWrite } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";

/** Partition of the traces that the erasure of a user removes, in the table `aggregates`; it is removed with the erasure's end. */
export const erasedTracesPartition = (project: string, pseudonym: string): string => `${project}#erasure#${pseudonym}`;

const [tracePrefix, incarnationPrefix] = ["trace#", "incarnation#"];

const record = v.object({ sk: v.string(), t: v.string(), s: v.optional(v.string()), at: v.number() });

/** A trace that an erasure removes. */
interface ErasedTrace {
  readonly traceId: string;
  readonly incarnation: string;
  readonly sessionId: string | null;
  /** Epoch milliseconds. */
  readonly erasedAt: number;
}

/**
 * Records of the traces that the erasure of a user removes. They are stored before the tombstones: what was made of a trace, such as labels,
 * scores of its session and items of datasets, is found by them in a later step and in every pass, also after a crash between the two.
 */
export const erasedTraces = (database: Database, project: string, pseudonym: string, now: () => number = Date.now) => {
  const pk = erasedTracesPartition(project, pseudonym);

  const existing = async (ids: readonly string[], prefix: string): Promise<ReadonlySet<string>> => {
    const keys = [...new Set(ids)].map((id) => ({ pk, sk: prefix + id }));
    const items = await batchGet(database, "aggregates", keys, { attributes: "sk" });
    return new Set(items.map(({ sk }) => String(sk).slice(prefix.length)));
  };

  return {
    /** Stores records of traces about to be removed. */
    add: async (rows: readonly TraceRow[]): Promise<void> => {
      const at = now();
      const items = rows.flatMap(({ traceId, incarnation, sessionId }) => [
        { pk, sk: tracePrefix + traceId },
        { pk, sk: incarnationPrefix + incarnation, t: traceId, s: sessionId ?? undefined, at },
      ]);
      await batchWrite(
        database,
        "aggregates",
        items.map((Item) => ({ PutRequest: { Item } })),
      );
    },

    /** Returns those of some trace ids that the erasure removes. */
    among: (traceIds: readonly string[]) => existing(traceIds, tracePrefix),

    /** Returns those of some incarnations of traces that the erasure removes. */
    incarnationsAmong: (incarnations: readonly string[]) => existing(incarnations, incarnationPrefix),

    /** Yields pages of the traces. @param place incarnation with which the pages begin; null for the first. */
    pages: async function* (place: string | null): AsyncGenerator<readonly ErasedTrace[]> {
      const between = [incarnationPrefix + (place ?? ""), tracePrefix] as const;
      for await (const { items } of itemsOf(database, "aggregates").pages({ pk, between, limit: 100 })) {
        const records = items.map((item) => v.parse(record, item));
        yield records.map(({ sk, t: traceId, s: sessionId = null, at: erasedAt }) => {
          return { traceId, incarnation: sk.slice(incarnationPrefix.length), sessionId, erasedAt };
        });
      }
    },
  };
};

export type ErasedTraces = ReturnType<typeof erasedTraces>;
