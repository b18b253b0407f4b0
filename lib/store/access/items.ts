import { GetCommand, paginateQuery, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { AccessKey } from "./keys.ts";
import { attempts, unavailable } from "../attempts.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { refusedActions } from "../failure.ts";
import * as patience from "../patience.ts";

/** An item of the table `access`, not parsed yet. */
export type Item = Record<string, unknown>;

interface Condition {
  /** Condition expression; a `#name` in it stands for the attribute of that name. */
  readonly when?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** One write of a transaction. */
export type AccessWrite = Condition &
  (
    | { readonly put: Item }
    /** `change` is an update expression. */
    | { readonly update: AccessKey; readonly change: string }
    | { readonly remove: AccessKey }
    | { readonly check: AccessKey; readonly when: string }
  );

/** The condition of an item that is made. */
export const absent = "attribute_not_exists(pk)";

/** The condition of an organization or project that is there and was not deleted. */
export const alive = "attribute_exists(pk) AND attribute_not_exists(deleted_at)";

/** Whether an organization or project that was read is there and was not deleted. */
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
    /** An item, strongly read. */
    get: async (Key: AccessKey): Promise<Item | undefined> =>
      (await client.send(new GetCommand({ TableName: table("access"), Key, ConsistentRead: true }))).Item,

    /** Some items by their keys, strongly read in one request; undefined where there is none. */
    getAll: async (keys: readonly AccessKey[]): Promise<readonly (Item | undefined)[]> => {
      const items = await batchGet(database, "access", keys);
      return keys.map(({ pk, sk }) => items.find((item) => item["pk"] === pk && item["sk"] === sk));
    },

    /** Items of a partition whose sort key begins with a text, strongly read, in the order of that key or against it. */
    each,

    /** The same, all at once. */
    list: async (pk: string, prefix: string): Promise<readonly Item[]> => {
      const items: Item[] = [];
      for await (const item of each(pk, prefix)) items.push(item);
      return items;
    },

    /**
     * Writes all or nothing; again while other transactions are in the way.
     *
     * @returns the positions of the writes whose condition did not hold; none when all was written.
     * @throws Refusal `unavailable` when others were in the way at every attempt.
     */
    write: (writes: readonly AccessWrite[]): Promise<ReadonlySet<number>> => {
      const TransactItems = writes.map((write) => actionOf(table("access"), write));
      return attempts(patience.request, unavailable("Others are changing the same thing. Try again."), () =>
        refusedActions(client.send(new TransactWriteCommand({ TransactItems }))),
      );
    },
  };
};
