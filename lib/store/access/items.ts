import { GetCommand, paginateQuery, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { AccessKey } from "./keys.ts";
import { withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import { batchGet } from "../../dynamo/batch-get.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";

/** An unparsed item of the table `access`. */
export type Item = Record<string, unknown>;

interface Condition {
  /** Condition expression; `#name` refers to the attribute `name`. */
  readonly when?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** A single write of a transaction, with an optional condition. */
export type AccessWrite = Condition &
  (
    | { readonly put: Item }
    /** `change` is an update expression. */
    | { readonly update: AccessKey; readonly change: string }
    | { readonly remove: AccessKey }
    | { readonly check: AccessKey; readonly when: string }
  );

/** Condition expression: the item does not exist yet. */
export const ifAbsent = "attribute_not_exists(pk)";

/** Condition expression: the organization or project exists and is not deleted. */
export const ifNotDeleted = "attribute_exists(pk) AND attribute_not_exists(deleted_at)";

/** True if an organization or project item exists and is not marked as deleted. */
export const isAlive = (item: Item | undefined): boolean => item !== undefined && item["deleted_at"] === undefined;

const namesIn = (expressions: string): Record<string, string> | undefined => {
  const names = [...new Set(expressions.match(/#\w+/gu))].map((name) => [name, name.slice(1)] as const);
  return names.length === 0 ? undefined : Object.fromEntries(names);
};

const actionOf = (
  TableName: string,
  write: AccessWrite,
): NonNullable<TransactWriteCommandInput["TransactItems"]>[number] => {
  const { when = "", values } = write;
  const names = namesIn(`${"change" in write ? write.change : ""} ${when}`);
  const common = {
    TableName,
    ...(names !== undefined && { ExpressionAttributeNames: names }),
    ...(values !== undefined && { ExpressionAttributeValues: values }),
  };
  const condition = when === "" ? {} : { ConditionExpression: when };
  if ("put" in write) return { Put: { ...common, ...condition, Item: write.put } };
  if ("remove" in write) return { Delete: { ...common, ...condition, Key: write.remove } };
  if ("check" in write) return { ConditionCheck: { ...common, Key: write.check, ConditionExpression: when } };
  return { Update: { ...common, ...condition, Key: write.update, UpdateExpression: write.change } };
};

/** Reads and writes of the table `access`. */
export const accessItems = (database: Database) => {
  const { client, table } = database;

  const each = async function* (pk: string, prefix: string, newestFirst = false): AsyncGenerator<Item> {
    const pages = paginateQuery(
      { client },
      {
        TableName: table("access"),
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
        ExpressionAttributeValues: { ":pk": pk, ":prefix": prefix },
        ScanIndexForward: !newestFirst,
        ConsistentRead: true,
      },
    );
    for await (const { Items = [] } of pages) yield* Items;
  };

  return {
    /** Reads an item, strongly consistent. */
    get: async (Key: AccessKey): Promise<Item | undefined> =>
      (await client.send(new GetCommand({ TableName: table("access"), Key, ConsistentRead: true }))).Item,

    /** Reads items by their keys in one request, strongly consistent; undefined for a key without an item. */
    getAll: async (keys: readonly AccessKey[]): Promise<readonly (Item | undefined)[]> => {
      const items = await batchGet(database, "access", keys);
      return keys.map(({ pk, sk }) => items.find((item) => item["pk"] === pk && item["sk"] === sk));
    },

    /**
     * Iterates over the items of a partition whose sort key has a prefix, strongly consistent, in ascending or
     * descending order of that key.
     */
    each,

    /** Reads all items of a partition whose sort key has a prefix, strongly consistent. */
    list: async (pk: string, prefix: string): Promise<readonly Item[]> => {
      const items: Item[] = [];
      for await (const item of each(pk, prefix)) items.push(item);
      return items;
    },

    /**
     * Writes all items or none, and retries on conflicts with other transactions.
     *
     * @returns the positions of the writes whose condition failed; empty when all was written.
     * @throws Refusal `unavailable` when every attempt conflicted.
     */
    write: (writes: readonly AccessWrite[]): Promise<ReadonlySet<number>> => {
      const TransactItems = writes.map((write) => actionOf(table("access"), write));
      return withRetries(requestRetryPolicy, throwUnavailable("Others are changing the same thing. Try again."), () =>
        failedConditions(client.send(new TransactWriteCommand({ TransactItems }))),
      );
    },
  };
};
