import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from "@aws-sdk/client-dynamodb";

export type Item = Record<string, AttributeValue>;

/** The items of tables by the tables' names. */
export type TableItems = Readonly<Record<string, readonly Item[]>>;

/** DynamoDB's limit of one batch. */
const batchSize = 25;

/** All items of some tables. @param tables physical names by name. */
export const readItems = async (
  client: DynamoDBClient,
  tables: Readonly<Record<string, string>>,
): Promise<TableItems> => {
  const found: Record<string, Item[]> = {};
  for (const [name, TableName] of Object.entries(tables)) {
    found[name] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
      found[name].push(...Items);
  }
  return found;
};

/** Puts items into tables. @param tables physical names by name. */
export const putItems = async (
  client: DynamoDBClient,
  tables: Readonly<Record<string, string>>,
  items: TableItems,
): Promise<void> => {
  for (const [name, own] of Object.entries(items)) {
    const TableName = tables[name];
    if (TableName === undefined) throw new Error(`There is no table ${name}.`);
    for (let start = 0; start < own.length; start += batchSize) {
      let left: WriteRequest[] = own.slice(start, start + batchSize).map((Item) => ({ PutRequest: { Item } }));
      while (left.length > 0) {
        const { UnprocessedItems } = await client.send(
          new BatchWriteItemCommand({ RequestItems: { [TableName]: left } }),
        );
        left = UnprocessedItems?.[TableName] ?? [];
      }
    }
  }
};

const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
};

/** Items as JSON text, bytes as `{"base64": ...}`: DynamoDB's own form, for any engine. */
export const itemsToJson = (items: TableItems): string => JSON.stringify(plain(items));

/** Reads what `itemsToJson` wrote. */
export const itemsFromJson = (text: string): TableItems =>
  JSON.parse(text, (_key, value: unknown) =>
    value !== null && typeof value === "object" && "base64" in value
      ? Buffer.from(String(value.base64), "base64")
      : value,
  ) as TableItems;
