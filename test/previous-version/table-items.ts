import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from "@aws-sdk/client-dynamodb";

export type Item = Record<string, AttributeValue>;

/** Items by table name. */
export type TableItems = Readonly<Record<string, readonly Item[]>>;

/** DynamoDB's maximum number of items per batch write. */
const batchSize = 25;

/** Reads all items of some tables. @param tables physical names by logical name. */
export const readItems = async (
  client: DynamoDBClient,
  tables: Readonly<Record<string, string>>,
): Promise<TableItems> => {
  const itemsByTable: Record<string, Item[]> = {};
  for (const [name, TableName] of Object.entries(tables)) {
    itemsByTable[name] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
      itemsByTable[name].push(...Items);
  }
  return itemsByTable;
};

/** Puts items into tables. @param tables physical names by logical name. */
export const putItems = async (
  client: DynamoDBClient,
  tables: Readonly<Record<string, string>>,
  items: TableItems,
): Promise<void> => {
  for (const [name, tableItems] of Object.entries(items)) {
    const TableName = tables[name];
    if (TableName === undefined) throw new Error(`There is no table ${name}.`);
    for (let start = 0; start < tableItems.length; start += batchSize) {
      let unprocessed: WriteRequest[] = tableItems
        .slice(start, start + batchSize)
        .map((Item) => ({ PutRequest: { Item } }));
      while (unprocessed.length > 0) {
        const { UnprocessedItems } = await client.send(
          new BatchWriteItemCommand({ RequestItems: { [TableName]: unprocessed } }),
        );
        unprocessed = UnprocessedItems?.[TableName] ?? [];
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

/** Items as JSON in DynamoDB's format, with bytes as `{"base64": ...}`. */
export const itemsToJson = (items: TableItems): string => JSON.stringify(plain(items));

/** Parses the JSON of `itemsToJson`. */
export const itemsFromJson = (text: string): TableItems =>
  JSON.parse(text, (_key, value: unknown) =>
    value !== null && typeof value === "object" && "base64" in value
      ? Buffer.from(String(value.base64), "base64")
      : value,
  ) as TableItems;
