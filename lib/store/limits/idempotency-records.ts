import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { isConditionFailure, ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";

/** State of an idempotency key when a request begins. */
type BeginResult =
  /** The key is new, or its earlier request did not finish. */
  | { readonly kind: "open" }
  /** Another request with the same key and body is in progress. */
  | { readonly kind: "under-way" }
  | { readonly kind: "other-body" }
  | { readonly kind: "answered"; readonly answer: string };

/**
 * Store of idempotency keys and answers, for requests that store nothing else by which a repetition could be
 * recognized.
 */
export interface IdempotencyRecords {
  /**
   * Begins a request, which must be answered within `lease` milliseconds.
   *
   * @param id derived from caller, route and idempotency key.
   */
  begin(id: string, bodyHash: string, lease: number): Promise<BeginResult>;
  /** Stores the answer of a request for a day. An answer of more than 300,000 bytes is not stored. */
  end(id: string, answer: string): Promise<void>;
  /** Releases the key of a request that failed, as if it had never been sent. */
  release(id: string, bodyHash: string): Promise<void>;
}

const retentionMilliseconds = 86_400_000;

/** Max bytes of a stored answer. DynamoDB's limit for an item is 400 KB. */
const maxBytes = 300_000;

/**
 * Schema of the existing item that a failed condition returns; the document client leaves it in DynamoDB's own format.
 */
const existingItem = v.object({
  h: v.object({ S: v.string() }),
  a: v.optional(v.object({ S: v.string() })),
});

export const idempotencyRecords = (database: Database, now: () => number = Date.now): IdempotencyRecords => {
  const limits = itemsOf(database, "limits");
  const keyOf = (id: string) => ({ pk: `repeat#${id}` });

  return {
    begin: async (id, bodyHash, lease) => {
      const time = now();
      try {
        await limits.update(keyOf(id), "SET h = :h, #until = :until, busy = :busy, #ttl = :ttl REMOVE a", {
          when: "attribute_not_exists(pk) OR #until <= :now OR (h = :h AND attribute_not_exists(a) AND busy <= :now)",
          values: {
            ":h": bodyHash,
            ":until": time + retentionMilliseconds,
            ":busy": time + lease,
            ":ttl": Math.ceil((time + retentionMilliseconds) / 1000),
            ":now": time,
          },
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        });
        return { kind: "open" };
      } catch (error) {
        if (!isConditionFailure(error)) throw error;
        const { h, a } = v.parse(existingItem, error.Item);
        if (h.S !== bodyHash) return { kind: "other-body" };
        return a === undefined ? { kind: "under-way" } : { kind: "answered", answer: a.S };
      }
    },

    end: async (id, answer) => {
      if (Buffer.byteLength(answer) > maxBytes) return;
      await ifConditionHolds(
        limits.update(keyOf(id), "SET a = :a", {
          when: "attribute_exists(pk) AND attribute_not_exists(a)",
          values: { ":a": answer },
        }),
      );
    },

    release: async (id, bodyHash) => {
      await ifConditionHolds(
        limits.update(keyOf(id), "SET #until = :never", {
          when: "h = :h AND attribute_not_exists(a)",
          values: { ":never": 0, ":h": bodyHash },
        }),
      );
    },
  };
};
