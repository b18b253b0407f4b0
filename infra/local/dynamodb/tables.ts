import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { setTimeout as sleep } from "node:timers/promises";
import type { LocalTable } from "./table-definition.ts";

const maxUpdateMs = 600_000;

const describeTable = async (client: DynamoDBClient, name: string): Promise<TableDescription | undefined> => {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

const create = async (client: DynamoDBClient, table: LocalTable): Promise<void> => {
  const { TableName } = table.create;
  await client.send(new CreateTableCommand(table.create));
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName });
  if (table.expiryAttribute === undefined) return;
  const TimeToLiveSpecification = { AttributeName: table.expiryAttribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
};

const isActive = async (client: DynamoDBClient, name: string): Promise<boolean> => {
  const { TableStatus, GlobalSecondaryIndexes = [] } = (await describeTable(client, name)) ?? {};
  const states = [TableStatus, ...GlobalSecondaryIndexes.map(({ IndexStatus }) => IndexStatus)];
  return states.every((state) => state === "ACTIVE");
};

/** Updates a table and waits until it is active again: DynamoDB allows one update at a time. */
const update = async (
  client: DynamoDBClient,
  change: UpdateTableCommandInput & { readonly TableName: string },
): Promise<void> => {
  await client.send(new UpdateTableCommand(change));
  const deadline = Date.now() + maxUpdateMs;
  while (!(await isActive(client, change.TableName))) {
    if (Date.now() > deadline) throw new Error(`The table ${change.TableName} is not ready after ten minutes.`);
    await sleep(100);
  }
};

const keySignature = (schema: LocalTable["create"]["KeySchema"]): string =>
  (schema ?? []).map(({ AttributeName, KeyType }) => `${AttributeName}:${KeyType}`).join();

/** Text that is equal for equal index definitions, independent of the order of their attributes. */
const indexSignature = ({ KeySchema, Projection }: Pick<GlobalSecondaryIndex, "KeySchema" | "Projection">): string =>
  JSON.stringify([keySignature(KeySchema), Projection?.ProjectionType, Projection?.NonKeyAttributes?.toSorted()]);

const addMissingParts = async (
  client: DynamoDBClient,
  table: LocalTable,
  existing: TableDescription,
): Promise<void> => {
  const { TableName, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes = [], StreamSpecification } = table.create;
  if (keySignature(KeySchema) !== keySignature(existing.KeySchema))
    throw new Error(
      `The key of table ${TableName} has changed. Start again with npm start -- --fresh (deletes local data).`,
    );
  const currentIndexes = existing.GlobalSecondaryIndexes ?? [];
  const existingIndexes = new Map(
    currentIndexes.map(({ IndexName, KeySchema, Projection }) => [
      IndexName,
      indexSignature({ KeySchema, Projection }),
    ]),
  );
  for (const index of GlobalSecondaryIndexes) {
    const existingIndex = existingIndexes.get(index.IndexName);
    if (existingIndex !== undefined && existingIndex !== indexSignature(index))
      throw new Error(
        `The index ${index.IndexName} of table ${TableName} has changed. DynamoDB cannot change an index: ` +
          "add an index with another name instead.",
      );
  }
  const keys = [KeySchema, ...currentIndexes.map((index) => index.KeySchema)];
  for (const index of GlobalSecondaryIndexes.filter(({ IndexName }) => !existingIndexes.has(IndexName))) {
    keys.push(index.KeySchema);
    const keyAttributes = new Set(keys.flatMap((schema) => schema ?? []).map(({ AttributeName }) => AttributeName));
    await update(client, {
      TableName,
      // DynamoDB refuses definitions of attributes that no key uses.
      AttributeDefinitions: AttributeDefinitions?.filter(({ AttributeName }) => keyAttributes.has(AttributeName)),
      GlobalSecondaryIndexUpdates: [{ Create: index }],
    });
  }
  if (StreamSpecification && existing.StreamSpecification?.StreamEnabled !== true)
    await update(client, { TableName, StreamSpecification });
};

/**
 * Creates a table of the template, or adds the indexes and the stream that the existing table lacks.
 *
 * Not supported: removal of indexes, streams or tables that the template no longer has.
 *
 * @returns the table's description; `LatestStreamArn` is its stream
 * @throws Error when the existing table has another key, or an existing index has another key or other attributes
 */
export const ensureTable = async (client: DynamoDBClient, table: LocalTable): Promise<TableDescription> => {
  const { TableName } = table.create;
  const existing = await describeTable(client, TableName);
  if (existing === undefined) await create(client, table);
  else await addMissingParts(client, table, existing);
  return (await describeTable(client, TableName)) ?? {};
};
