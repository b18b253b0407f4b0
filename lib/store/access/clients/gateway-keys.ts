import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { gatewayKeyRoom } from "../../../domain/access/gateway-key-room.ts";
import { epochOf, instantAt } from "../../../domain/instant.ts";
import { again, attempts, contended } from "../../attempts.ts";
import type { Database } from "../../database.ts";
import { refusedActions, ifConditionHolds } from "../../failure.ts";
import * as patience from "../../patience.ts";
import { gatewayKeyCountKey, gatewayKeyKey, gatewayKeyShareKey } from "../keys.ts";

/** A client's gateway key that is in use. */
interface GatewayKey {
  readonly value: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** How a client stands that somebody holds. `withdrawn` is the id of a key that was taken out of use and may still be there. */
type Held = { readonly kind: "made" | "full" } | { readonly kind: "wanted"; readonly withdrawn: string | null };

/** Which clients want a gateway key and which have one. A client is text (see `clientOf`). */
export interface GatewayKeys {
  /** The client's key, null when it has none. May lag by a second. @param signal ends the wait for an answer. */
  find(client: string, signal?: AbortSignal): Promise<GatewayKey | null>;
  /** Notes that an organization has the client. @returns `full` when there are as many keys as there may be, or as it may have. */
  hold(client: string, organization: string): Promise<Held>;
  /** The key is made: it is in use from now on. @returns false when nobody holds the client any more. */
  made(client: string, id: string, value: string): Promise<boolean>;
  /** Notes that an organization has the client no more. @returns whether another one has, or the client is unknown. */
  release(client: string, organization: string): Promise<boolean>;
  /** Takes the key out of use. @returns its id, null when it has none; false when somebody holds the client. */
  withdraw(client: string): Promise<string | null | false>;
  /** The key is deleted. @returns false when somebody holds the client again. */
  forget(client: string): Promise<boolean>;
}

/** A client's item. */
export const storedGatewayKey = v.object({
  id: v.optional(v.string()),
  value: v.optional(v.string()),
  created_at: v.optional(v.string()),
  /** Organizations that have the client; absent when none has. */
  holders: v.optional(v.set(v.string())),
  /** The organization in whose share it is; absent where it was made before there were shares. */
  charged: v.optional(v.string()),
});

const one = { ":one": 1 };
const less = { ":less": -1 };
const free = (limit: string): string => `attribute_not_exists(n) OR n < ${limit}`;

/** @param most keys that may be there at a time. */
export const gatewayKeyStore = (
  { client: dynamo, table }: Database,
  most: number,
  now: () => number = Date.now,
): GatewayKeys => {
  const update = async (client: string, expression: string, condition: string, values?: Record<string, unknown>) => {
    const reply = await ifConditionHolds(
      dynamo.send(
        new UpdateCommand({
          TableName: table("access"),
          Key: gatewayKeyKey(client),
          UpdateExpression: expression,
          ConditionExpression: condition,
          ExpressionAttributeNames: expression.includes("#value") ? { "#value": "value" } : undefined,
          ExpressionAttributeValues: values,
          ReturnValues: "ALL_NEW",
        }),
      ),
    );
    return reply && v.parse(storedGatewayKey, reply.Attributes);
  };

  const read = async (client: string, ConsistentRead: boolean, abortSignal?: AbortSignal) => {
    const { Item } = await dynamo.send(
      new GetCommand({ TableName: table("access"), Key: gatewayKeyKey(client), ConsistentRead }),
      abortSignal && { abortSignal },
    );
    return Item === undefined ? null : v.parse(storedGatewayKey, Item);
  };

  /** All changes of the counter meet on one item. @returns the positions of what was refused. */
  const transact = (
    TransactItems: NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]["TransactItems"]>,
  ): Promise<ReadonlySet<number>> =>
    attempts(patience.request, contended("The number of gateway keys moved at every attempt to change it."), () =>
      refusedActions(dynamo.send(new TransactWriteCommand({ TransactItems }))),
    );

  const room = gatewayKeyRoom(most);

  const shareOf = (organization: string) => ({ TableName: table("access"), Key: gatewayKeyShareKey(organization) });

  /**
   * Takes a place for a client whom nobody has noted.
   *
   * @param total places altogether, and `own` of the organization, below which one is free.
   * @returns the positions of what was refused: the client, the places altogether, the organization's share.
   */
  const takePlace = (client: string, organization: string, total: number, own: number) =>
    transact([
      {
        Put: {
          TableName: table("access"),
          Item: { ...gatewayKeyKey(client), holders: new Set([organization]), charged: organization },
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      {
        Update: {
          TableName: table("access"),
          Key: gatewayKeyCountKey,
          UpdateExpression: "ADD n :one",
          ConditionExpression: free(":most"),
          ExpressionAttributeValues: { ...one, ":most": total },
        },
      },
      {
        Update: {
          TableName: table("access"),
          Key: gatewayKeyShareKey(organization),
          UpdateExpression: "ADD n :one",
          ConditionExpression: free(":most"),
          ExpressionAttributeValues: { ...one, ":most": own },
        },
      },
    ]);

  return {
    find: async (client, signal) => {
      const item = await read(client, false, signal);
      if (item?.value === undefined || item.created_at === undefined) return null;
      return { value: item.value, createdAt: epochOf(item.created_at) };
    },

    hold: (client, organization) => {
      const holders = new Set([organization]);
      const moved = contended("Others took and left this client's place all the time.");
      return attempts<Held>(patience.brief, moved, async () => {
        const known = await update(client, "ADD holders :holders", "attribute_exists(pk)", { ":holders": holders });
        if (known?.value !== undefined) return { kind: "made" };
        if (known !== null) return { kind: "wanted", withdrawn: known.id ?? null };
        const asFew = await takePlace(client, organization, room.most, room.few);
        if (asFew.size === 0) return { kind: "wanted", withdrawn: null };
        if (asFew.has(0)) return again;
        if (asFew.has(1)) return { kind: "full" };
        const asMany = await takePlace(client, organization, room.open, room.share);
        if (asMany.size === 0) return { kind: "wanted", withdrawn: null };
        return asMany.has(0) ? again : { kind: "full" };
      });
    },

    made: async (client, id, value) => {
      const item = await update(
        client,
        "SET id = :id, #value = :value, created_at = :now",
        "attribute_exists(holders)",
        {
          ":id": id,
          ":value": value,
          ":now": instantAt(now()),
        },
      );
      return item !== null;
    },

    release: async (client, organization) => {
      const left = await update(client, "DELETE holders :holders", "attribute_exists(pk)", {
        ":holders": new Set([organization]),
      });
      return left === null || left.holders !== undefined;
    },

    withdraw: async (client) => {
      const condition = "attribute_exists(pk) AND attribute_not_exists(holders)";
      const item = await update(client, "REMOVE #value, created_at", condition);
      return item === null ? false : (item.id ?? null);
    },

    forget: async (client) => {
      const charged = (await read(client, true))?.charged;
      // What no client is in any more would outlive its organization.
      const leaves =
        charged === undefined
          ? [[]]
          : [
              [{ Delete: { ...shareOf(charged), ConditionExpression: "n = :one", ExpressionAttributeValues: one } }],
              [
                {
                  Update: {
                    ...shareOf(charged),
                    UpdateExpression: "ADD n :less",
                    ConditionExpression: "attribute_not_exists(n) OR n <> :one",
                    ExpressionAttributeValues: { ...one, ...less },
                  },
                },
              ],
            ];
      const taking = {
        Delete: {
          TableName: table("access"),
          Key: gatewayKeyKey(client),
          ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(holders) AND ${
            charged === undefined ? "attribute_not_exists(charged)" : "charged = :charged"
          }`,
          ...(charged !== undefined && { ExpressionAttributeValues: { ":charged": charged } }),
        },
      };
      const counting = {
        Update: {
          TableName: table("access"),
          Key: gatewayKeyCountKey,
          UpdateExpression: "ADD n :less",
          ExpressionAttributeValues: less,
        },
      };
      const moved = contended("An organization's share of gateway keys moved at every attempt to change it.");
      return attempts<boolean>(patience.brief, moved, async () => {
        for (const leave of leaves) {
          const refused = await transact([taking, counting, ...leave]);
          if (refused.size === 0) return true;
          if (refused.has(0)) return (await read(client, true)) === null;
        }
        return again;
      });
    },
  };
};
