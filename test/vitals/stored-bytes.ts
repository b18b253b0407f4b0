import { type AttributeValue, DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { localClient } from "../../infra/local/host/aws-client.ts";
import { tableNames, tables, type TableDefinition, type TableName } from "../../lib/dynamo/table.ts";
import type { Storage } from "../support/service/service-database.ts";

/** Billed overhead in bytes of an item, and of an index item. */
const overhead = 100;

/** Bytes of a value by DynamoDB's rules; a number takes one byte per two digits plus one. */
const valueBytes = (value: AttributeValue): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1;
  if (value.L !== undefined) return 3 + value.L.reduce((sum, element) => sum + 1 + valueBytes(element), 0);
  if (value.M !== undefined) return 3 + itemBytes(value.M) + Object.keys(value.M).length;
  if (value.SS !== undefined) return value.SS.reduce((sum, element) => sum + Buffer.byteLength(element), 0);
  return 1;
};

const itemBytes = (item: Readonly<Record<string, AttributeValue>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

/** Billed bytes of an item in its table and indexes. */
const billedBytes = (item: Readonly<Record<string, AttributeValue>>, { indexes = {} }: TableDefinition): number =>
  Object.values(indexes)
    .filter(({ partition, sort }) => partition in item && sort in item)
    .reduce(
      (sum, { partition, sort, projection }) => {
        const indexedAttributes = Object.entries(item).filter(
          ([name]) => projection === "ALL" || ["pk", "sk", partition, sort].includes(name),
        );
        return sum + overhead + itemBytes(Object.fromEntries(indexedAttributes));
      },
      overhead + itemBytes(item),
    );

/** Billed bytes of a service's tables, by table name. */
export const storedBytes = async ({ url, tables: names }: Storage): Promise<Readonly<Record<TableName, number>>> => {
  const client = new DynamoDBClient(localClient(url));
  const bytes: Partial<Record<TableName, number>> = {};
  for (const table of tableNames) {
    bytes[table] = 0;
    for await (const { Items = [] } of paginateScan({ client }, { TableName: names[table] }))
      bytes[table] += Items.reduce((sum, item) => sum + billedBytes(item, tables[table]), 0);
  }
  client.destroy();
  return bytes as Record<TableName, number>;
};
