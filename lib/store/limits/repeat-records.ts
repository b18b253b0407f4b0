import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { isConditionFailure, ifConditionHolds } from "../failure.ts";

/** What a record says of a request that begins. */
type Begun =
  /** Nobody has sent it, or nobody has finished it. */
  | { readonly kind: "open" }
  /** Another request of the same key and body is being worked on. */
  | { readonly kind: "under-way" }
  | { readonly kind: "other-body" }
  | { readonly kind: "answered"; readonly answer: string };

/** Records of requests that can be sent again and make nothing that would know them. */
export interface RepeatRecords {
  /**
   * Takes a request on: it is this one's to answer for `lease` milliseconds, or until it was.
   *
   * @param id of the caller, the route and the key.
   */
  begin(id: string, bodyHash: string, lease: number): Promise<Begun>;
  /** Keeps the answer of a request for a day. One that has more than 300,000 bytes is not kept. */
  end(id: string, answer: string): Promise<void>;
  /** A request came to nothing: the key is as if it had never been sent. */
  forget(id: string, bodyHash: string): Promise<void>;
}

const keptMilliseconds = 86_400_000;

/** DynamoDB takes 400 KB for an item. */
const mostBytes = 300_000;

/** The document client leaves the item of a failed condition in DynamoDB's own form. */
const metItem = v.object({
  h: v.object({ S: v.string() }),
  a: v.optional(v.object({ S: v.string() })),
});

export const repeatRecords = ({ client, table }: Database, now: () => number = Date.now): RepeatRecords => {
  const at = (id: string) => ({ TableName: table("limits"), Key: { pk: `repeat#${id}` } });

  return {
    begin: async (id, bodyHash, lease) => {
      const time = now();
      try {
        await client.send(
          new UpdateCommand({
            ...at(id),
            UpdateExpression: "SET h = :h, #until = :until, busy = :busy, #ttl = :ttl REMOVE a",
            ConditionExpression:
              "attribute_not_exists(pk) OR #until <= :now OR (h = :h AND attribute_not_exists(a) AND busy <= :now)",
            ExpressionAttributeNames: { "#until": "until", "#ttl": "ttl" },
            ExpressionAttributeValues: {
              ":h": bodyHash,
              ":until": time + keptMilliseconds,
              ":busy": time + lease,
              ":ttl": Math.ceil((time + keptMilliseconds) / 1000),
              ":now": time,
            },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        );
        return { kind: "open" };
      } catch (error) {
        if (!isConditionFailure(error)) throw error;
        const { h, a } = v.parse(metItem, error.Item);
        if (h.S !== bodyHash) return { kind: "other-body" };
        return a === undefined ? { kind: "under-way" } : { kind: "answered", answer: a.S };
      }
    },

    end: async (id, answer) => {
      if (Buffer.byteLength(answer) > mostBytes) return;
      await ifConditionHolds(
        client.send(
          new UpdateCommand({
            ...at(id),
            UpdateExpression: "SET a = :a",
            ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(a)",
            ExpressionAttributeValues: { ":a": answer },
          }),
        ),
      );
    },

    forget: async (id, bodyHash) => {
      await ifConditionHolds(
        client.send(
          new UpdateCommand({
            ...at(id),
            UpdateExpression: "SET #until = :never",
            ConditionExpression: "h = :h AND attribute_not_exists(a)",
            ExpressionAttributeNames: { "#until": "until" },
            ExpressionAttributeValues: { ":never": 0, ":h": bodyHash },
          }),
        ),
      );
    },
  };
};
