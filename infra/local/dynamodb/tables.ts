import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { LocalTable } from "./table-definition.ts";

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

const keyOf = (schema: LocalTable["create"]["KeySchema"]): string =>
  (schema ?? []).map(({ AttributeName, KeyType }) => `${AttributeName}:${KeyType}`).join();

const addWhatIsNew = async (client: DynamoDBClient, table: LocalTable, existing: TableDescription): Promise<void> => {
  const { TableName, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes = [], StreamSpecification } = table.create;
  if (keyOf(KeySchema) !== keyOf(existing.KeySchema))
    throw new Error(
      `The key of table ${TableName} has changed. Start again with npm start -- --fresh (deletes local data).`,
    );
  const present = new Set(existing.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const index of GlobalSecondaryIndexes.filter(({ IndexName }) => !present.has(IndexName)))
    await client.send(
      new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create: index }] }),
    );
  if (StreamSpecification && existing.StreamSpecification?.StreamEnabled !== true)
    await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
};

/**
 * Makes a table as the template has it: created, or given the indexes and the stream it lacks.
 *
 * Does not do: removal of indexes, streams or tables that the template no longer has.
 *
 * @returns the table's description; `LatestStreamArn` is its stream.
 * @throws Error when the table exists with another key.
 */
export const ensureTable = async (client: DynamoDBClient, table: LocalTable): Promise<TableDescription> => {
  const { TableName } = table.create;
  const existing = await describeTable(client, TableName);
  if (existing === undefined) await create(client, table);
  else await addWhatIsNew(client, table, existing);
  return (await describeTable(client, TableName)) ?? {};
};
