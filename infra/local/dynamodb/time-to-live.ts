import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from "@aws-sdk/client-dynamodb";
import { type Background, repeat } from "../host/background.ts";
import type { LocalTable } from "./table-definition.ts";

type Item = Record<string, AttributeValue>;

const removeIfStillExpired = async (
  client: DynamoDBClient,
  table: LocalTable,
  key: Item,
  now: string,
): Promise<void> => {
  try {
    await client.send(
      new DeleteItemCommand({
        TableName: table.create.TableName,
        Key: key,
        ConditionExpression: "#ttl <= :now",
        ExpressionAttributeNames: { "#ttl": table.expiryAttribute ?? "" },
        ExpressionAttributeValues: { ":now": { N: now } },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
};

/** Deletes every item of a table whose expiry, in epoch seconds, has passed. */
export const removeExpired = async (client: DynamoDBClient, table: LocalTable): Promise<void> => {
  if (table.expiryAttribute === undefined) return;
  const now = String(Math.floor(Date.now() / 1_000));
  const keys = (table.create.KeySchema ?? []).map(({ AttributeName }) => AttributeName ?? "");
  const pages = paginateScan(
    { client },
    {
      TableName: table.create.TableName,
      FilterExpression: "#ttl <= :now",
      ProjectionExpression: keys.map((_, index) => `#k${index}`).join(", "),
      ExpressionAttributeNames: {
        "#ttl": table.expiryAttribute,
        ...Object.fromEntries(keys.map((key, index) => [`#k${index}`, key])),
      },
      ExpressionAttributeValues: { ":now": { N: now } },
    },
  );
  for await (const page of pages)
    for (const key of page.Items ?? []) await removeIfStillExpired(client, table, key, now);
};

/**
 * Deletes expired items every 30 seconds; DynamoDB's time to live does so within a few days.
 *
 * Not supported: the field `userIdentity` of stream records, by which DynamoDB marks deletions by expiry.
 */
export const startTimeToLive = (
  client: DynamoDBClient,
  tables: readonly LocalTable[],
  intervalMs = 30_000,
): Background => {
  let isFirst = true;
  return repeat(async (signal) => {
    if (isFirst) {
      isFirst = false;
      return intervalMs;
    }
    for (const table of tables) if (!signal.aborted) await removeExpired(client, table);
    return intervalMs;
  });
};
