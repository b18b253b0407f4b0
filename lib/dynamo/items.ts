import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
  type QueryCommandInput,
  type TransactWriteCommandInput,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import type { Database } from "./database.ts";
import type { TableName } from "./table.ts";

/** An unparsed item, or the key of one. */
export type Item = Readonly<Record<string, unknown>>;

interface Values {
  /** Values by placeholder (`:name`); those that no expression contains are not sent. */
  readonly values?: Item | undefined;
}

interface Condition extends Values {
  /** Condition expression; without one the write is unconditional. */
  readonly when?: string | undefined;
}

/** A write of a transaction. In its expressions `#name` refers to the attribute `name`. */
export type Write = Condition & {
  /** Table of the item, if it is not the one of `itemsOf`. */
  readonly table?: TableName;
} & (
    | { readonly put: Item }
    /** `change` is an update expression. */
    | { readonly update: Item; readonly change: string }
    | { readonly remove: Item }
    | { readonly check: Item; readonly when: string }
  );

interface WriteOptions
  extends
    Condition,
    Pick<UpdateCommandInput, "ReturnValues" | "ReturnValuesOnConditionCheckFailure" | "ReturnConsumedCapacity"> {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

interface ReadOptions {
  /** False for an eventually consistent read, at half the price. Reads of an index are never strongly consistent. */
  readonly strongly?: boolean;
  /** Projection expression; all attributes if absent. */
  readonly attributes?: string;
}

/** A scan of a table or index. */
export interface Scan extends ReadOptions, Values {
  readonly index?: string | undefined;
  readonly filter?: string;
  /** Maximum number of items that a page reads, before the filter. */
  readonly limit?: number | undefined;
  /** Key after which the page starts: `next` of the page before. */
  readonly start?: Item | undefined;
}

/**
 * A query by a key condition (`where`), or of a table's partition: of all its items, of those whose sort key has a
 * prefix, or of those with sort keys between two bounds, both inclusive.
 */
export type Query = Scan & {
  readonly descending?: boolean;
  /** Counts the items without reading them. */
  readonly countOnly?: boolean;
} & (
    | { readonly where: string }
    | {
        readonly pk: unknown;
        readonly prefix?: string | undefined;
        readonly between?: readonly [first: unknown, last: unknown];
      }
  );

/** A page of a query or scan. */
export interface ItemPage {
  readonly items: readonly Item[];
  /** Start key of the next page; undefined after the last. */
  readonly next: Item | undefined;
  /** Number of items that passed the filter. */
  readonly count: number;
  /** Number of items read. */
  readonly scanned: number;
}

/** Condition expression: the item does not exist yet. */
export const ifAbsent = "attribute_not_exists(pk)";

type References = Pick<QueryCommandInput, "ExpressionAttributeNames" | "ExpressionAttributeValues">;

/** Names and values that some expressions refer to. */
const references = (values: Item, ...expressions: readonly (string | undefined)[]): References => {
  const placeholders = new Set(expressions.join(" ").match(/[#:]\w+/gu));
  const names = [...placeholders].filter((name) => name.startsWith("#")).map((name) => [name, name.slice(1)] as const);
  const entries = Object.entries(values).filter(([name]) => placeholders.has(name));
  return {
    ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
    ...(entries.length > 0 && { ExpressionAttributeValues: Object.fromEntries(entries) }),
  };
};

const actionOf = (TableName: string, write: Write): NonNullable<TransactWriteCommandInput["TransactItems"]>[number] => {
  const { when, values = {} } = write;
  const change = "update" in write ? write.change : undefined;
  const common = { TableName, ConditionExpression: when, ...references(values, change, when) };
  if ("put" in write) return { Put: { ...common, Item: write.put } };
  if ("remove" in write) return { Delete: { ...common, Key: write.remove } };
  if ("check" in write) return { ConditionCheck: { ...common, Key: write.check, ConditionExpression: write.when } };
  return { Update: { ...common, Key: write.update, UpdateExpression: write.change } };
};

const scanInput = (
  { index, strongly = index === undefined, filter, attributes, values = {}, limit, start }: Scan,
  key?: string,
) => ({
  IndexName: index,
  ConsistentRead: strongly,
  FilterExpression: filter,
  ProjectionExpression: attributes,
  ...references(values, key, filter, attributes),
  Limit: limit,
  ExclusiveStartKey: start,
});

const keyCondition = (query: Query): { readonly where: string; readonly keys: Item } => {
  if ("where" in query) return { where: query.where, keys: {} };
  const { pk, prefix, between } = query;
  const ofPrefix = prefix === undefined ? "" : " AND begins_with(sk, :prefix)";
  const range = between === undefined ? ofPrefix : " AND sk BETWEEN :first AND :last";
  return {
    where: `pk = :pk${range}`,
    keys: { ":pk": pk, ":prefix": prefix, ":first": between?.[0], ":last": between?.[1] },
  };
};

/** Returns the input of a query without its table, for `rawQuery`. */
export const queryInput = (query: Query): Omit<QueryCommandInput, "TableName"> => {
  const { where, keys } = keyCondition(query);
  return {
    ...scanInput({ ...query, values: { ...keys, ...query.values } }, where),
    KeyConditionExpression: where,
    ScanIndexForward: query.descending !== true,
    ...(query.countOnly === true && { Select: "COUNT" }),
  };
};

interface ReadOutput {
  readonly Items?: readonly Item[] | undefined;
  readonly LastEvaluatedKey?: Item | undefined;
  readonly Count?: number | undefined;
  readonly ScannedCount?: number | undefined;
}

const pageOf = ({ Items = [], LastEvaluatedKey, Count = 0, ScannedCount = 0 }: ReadOutput): ItemPage => ({
  items: Items,
  next: LastEvaluatedKey,
  count: Count,
  scanned: ScannedCount,
});

/**
 * Reads and writes of a table's items. Each call is one request, apart from `pages`, `query` and `list`, and nothing is
 * repeated: conditions that fail and lost races are thrown (see `ifConditionHolds`, `succeeds`, `failedConditions` and
 * `withRetries`). In expressions `#name` refers to the attribute `name`.
 *
 * @example
 * const runs = itemsOf(database, "runs");
 * const item = await runs.get(runKey(project, run));
 * const change = { when: "#status = :pending", values: { ":pending": "PENDING", ":running": "RUNNING" } };
 * const isStarted = await succeeds(runs.update(runKey(project, run), "SET #status = :running", change));
 * for await (const slice of runs.query({ pk: runPartition(project, run), prefix: "slice#" })) work(slice);
 */
export const itemsOf = ({ client, table }: Database, name: TableName) => {
  const write = ({ when, values = {}, signal, ...options }: WriteOptions, change?: string) =>
    [
      { TableName: table(name), ConditionExpression: when, ...references(values, change, when), ...options },
      signal && { abortSignal: signal },
    ] as const;

  const page = async (query: Query): Promise<ItemPage> =>
    pageOf(await client.send(new QueryCommand({ TableName: table(name), ...queryInput(query) })));

  const pages = async function* (query: Query): AsyncGenerator<ItemPage> {
    let { start } = query;
    do {
      const current = await page({ ...query, start });
      yield current;
      start = current.next;
    } while (start !== undefined);
  };

  const query = async function* (options: Query): AsyncGenerator<Item> {
    for await (const { items } of pages(options)) yield* items;
  };

  return {
    /** Reads an item, strongly consistent unless `strongly` is false. */
    get: async (
      Key: Item,
      { strongly = true, attributes, signal }: ReadOptions & Pick<WriteOptions, "signal"> = {},
    ): Promise<Item | undefined> => {
      const projection = { ProjectionExpression: attributes, ...references({}, attributes) };
      const command = new GetCommand({ TableName: table(name), Key, ConsistentRead: strongly, ...projection });
      return (await client.send(command, signal && { abortSignal: signal })).Item;
    },

    /** Stores an item. */
    put: (item: Item, options: WriteOptions = {}) => {
      const [input, http] = write(options);
      return client.send(new PutCommand({ ...input, Item: item }), http);
    },

    /** Changes an item by an update expression. */
    update: (Key: Item, change: string, options: WriteOptions = {}) => {
      const [input, http] = write(options, change);
      return client.send(new UpdateCommand({ ...input, Key, UpdateExpression: change }), http);
    },

    /** Deletes an item. */
    remove: (Key: Item, options: WriteOptions = {}) => {
      const [input, http] = write(options);
      return client.send(new DeleteCommand({ ...input, Key }), http);
    },

    /** Writes all items, of any tables, or none. @throws TransactionCanceledException */
    transact: (writes: readonly Write[]) =>
      client.send(
        new TransactWriteCommand({ TransactItems: writes.map((each) => actionOf(table(each.table ?? name), each)) }),
      ),

    /** Reads one page of a query. */
    page,

    /** Yields the pages of a query. */
    pages,

    /** Yields the items of all pages of a query. */
    query,

    /** Reads all items of a query. */
    list: async (options: Query): Promise<readonly Item[]> => {
      const items: Item[] = [];
      for await (const item of query(options)) items.push(item);
      return items;
    },

    /** Reads one page of a scan. */
    scan: async (options: Scan): Promise<ItemPage> =>
      pageOf(
        await client.send(
          new ScanCommand({
            TableName: table(name),
            ...scanInput(options),
            // A policy cannot see which attributes are read unless the request says that it reads some.
            ...(options.attributes !== undefined && { Select: "SPECIFIC_ATTRIBUTES" }),
          }),
        ),
      ),
  };
};
