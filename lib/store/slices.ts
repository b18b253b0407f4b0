import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "./database.ts";
import { isConditionFailure } from "./failure.ts";
import { sliceKey } from "./run-keys.ts";
import { unpackSlice, type StoredSlice } from "./slice-codec.ts";

/** A worker that does not renew its lease for this long is taken for dead. */
export const leaseMilliseconds = 30_000;

/**
 * What came of trying to claim a slice. Whoever claims it gets a higher epoch than anyone before, whose writes fail from
 * then on.
 */
type Claim =
  | { readonly kind: "claimed"; readonly held: StoredSlice }
  /** Held by another worker, or not to be tried before that instant (epoch milliseconds). */
  | { readonly kind: "busy"; readonly until: number }
  /** Done, or its run is gone. */
  | { readonly kind: "over" };

export interface Slices {
  claim(project: string, run: string, slice: string): Promise<Claim>;
  /** Keeps a lease. @returns false when it was lost. */
  renew(held: StoredSlice): Promise<boolean>;
  /**
   * Gives a slice back unfinished, not to be tried before `until`.
   *
   * @param awaySince since when its provider is away; null when it is not.
   */
  giveBack(held: StoredSlice, until: number, awaySince: number | null): Promise<void>;
}

export const sliceStore = ({ client, table }: Database, now: () => number = Date.now): Slices => {
  const TableName = table("runs");

  const whileHeld = async (held: StoredSlice, expression: string, values: Record<string, unknown>) => {
    const { projectId, runId, id } = held.slice;
    try {
      await client.send(
        new UpdateCommand({
          TableName,
          Key: sliceKey(projectId, runId, id),
          UpdateExpression: expression,
          ConditionExpression: "epoch = :epoch AND #state = :open",
          ExpressionAttributeNames: { "#state": "state", "#until": "until" },
          ExpressionAttributeValues: { ...values, ":epoch": held.epoch, ":open": "open" },
        }),
      );
      return true;
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
  };

  return {
    claim: async (project, run, slice) => {
      const Key = sliceKey(project, run, slice);
      try {
        const { Attributes } = await client.send(
          new UpdateCommand({
            TableName,
            Key,
            UpdateExpression: "SET epoch = epoch + :one, fruitless = fruitless + :one, #until = :until",
            ConditionExpression: "#state = :open AND #until <= :now",
            ExpressionAttributeNames: { "#state": "state", "#until": "until" },
            ExpressionAttributeValues: {
              ":one": 1,
              ":open": "open",
              ":now": now(),
              ":until": now() + leaseMilliseconds,
            },
            ReturnValues: "ALL_NEW",
          }),
        );
        return { kind: "claimed", held: unpackSlice(Attributes ?? {}) };
      } catch (error) {
        if (!isConditionFailure(error)) throw error;
      }
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      if (Item === undefined) return { kind: "over" };
      const found = unpackSlice(Item);
      return found.slice.state === "open" ? { kind: "busy", until: found.until } : { kind: "over" };
    },

    renew: (held) => whileHeld(held, "SET #until = :until", { ":until": now() + leaseMilliseconds }),

    giveBack: async (held, until, awaySince) => {
      await (awaySince === null
        ? whileHeld(held, "SET #until = :until REMOVE away_since", { ":until": until })
        : whileHeld(held, "SET #until = :until, away_since = :away", { ":until": until, ":away": awaySince }));
    },
  };
};
