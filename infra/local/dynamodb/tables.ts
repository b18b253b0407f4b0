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

const longestUpdateMs = 600_000;

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

/** Changes a table, and waits for it: it can do one thing at a time. */
const update = async (
  client: DynamoDBClient,
  change: UpdateTableCommandInput & { readonly TableName: string },
): Promise<void> => {
  await client.send(new UpdateTableCommand(change));
  const deadline = Date.now() + longestUpdateMs;
  while (!(await isActive(client, change.TableName))) {
    if (Date.now() > deadline) throw new Error(`The table ${change.TableName} is not ready after ten minutes.`);
    await sleep(100);
  }
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
  const present = existing.GlobalSecondaryIndexes ?? [];
  const made = new Map(
    present.map(({ IndexName, KeySchema, Projection }) => [IndexName, indexOf({ KeySchema, Projection })]),
  );
  for (const index of GlobalSecondaryIndexes) {
    const found = made.get(index.IndexName);
    if (found !== undefined && found !== indexOf(index))
      throw new Error(
        `The index ${index.IndexName} of table ${TableName} has changed, which DynamoDB does not do: one of another name ` +
          "has to take its place.",
      );
  }
  const keys = [KeySchema, ...present.map((index) => index.KeySchema)];
  for (const index of GlobalSecondaryIndexes.filter(({ IndexName }) => !made.has(IndexName))) {
    keys.push(index.KeySchema);
    const used = new Set(keys.flatMap((schema) => schema ?? []).map(({ AttributeName }) => AttributeName));
    await update(client, {
      TableName,
      // An attribute that no index uses yet is refused.
      AttributeDefinitions: AttributeDefinitions?.filter(({ AttributeName }) => used.has(AttributeName)),
      GlobalSecondaryIndexUpdates: [{ Create: index }],
    });
  }
  if (StreamSpecification && existing.StreamSpecification?.StreamEnabled !== true)
    await update(client, { TableName, StreamSpecification });
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
