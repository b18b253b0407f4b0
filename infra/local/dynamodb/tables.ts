import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
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

/** What an index is, whatever the order of what it holds. */
const indexOf = ({ KeySchema, Projection }: Pick<GlobalSecondaryIndex, "KeySchema" | "Projection">): string =>
  JSON.stringify([keyOf(KeySchema), Projection?.ProjectionType, Projection?.NonKeyAttributes?.toSorted()]);

const addWhatIsNew = async (client: DynamoDBClient, table: LocalTable, existing: TableDescription): Promise<void> => {
  const { TableName, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes = [], StreamSpecification } = table.create;
  if (keyOf(KeySchema) !== keyOf(existing.KeySchema))
    throw new Error(
      `The key of table ${TableName} has changed. Start again with npm start -- --fresh (deletes local data).`,
    );
  const present = new Map(
    existing.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => [
      IndexName,
      indexOf({ KeySchema, Projection }),
    ]),
  );
  for (const index of GlobalSecondaryIndexes) {
    const found = present.get(index.IndexName);
    if (found !== undefined && found !== indexOf(index))
      throw new Error(
        `The index ${index.IndexName} of table ${TableName} has changed, which DynamoDB does not do: one of another name ` +
          "has to take its place.",
      );
    if (found === undefined)
      await client.send(
        new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create: index }] }),
      );
  }
  if (StreamSpecification && existing.StreamSpecification?.StreamEnabled !== true)
    await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
};

/**
 * Makes a table as the template has it: created, or given the indexes and the stream it lacks.
 *
 * Does not do: removal of indexes, streams or tables that the template no longer has.
 *
 * @returns the table's description; `LatestStreamArn` is its stream.
 * @throws Error when the table exists with another key, or an index of it with another key or other attributes.
 */
export const ensureTable = async (client: DynamoDBClient, table: LocalTable): Promise<TableDescription> => {
  const { TableName } = table.create;
  const existing = await describeTable(client, TableName);
  if (existing === undefined) await create(client, table);
  else await addWhatIsNew(client, table, existing);
  return (await describeTable(client, TableName)) ?? {};
};
