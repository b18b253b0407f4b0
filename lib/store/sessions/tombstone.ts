import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";
import { tombstoneKey } from "../traces/keys.ts";
import { shortId } from "../traces/writer.ts";

/** Two minutes: by then the request that laid it has answered or is dead. */
const laidSeconds = 120;

/** An hour: longer than any index lags. */
const closedSeconds = 3600;

/**
 * Says that a session was deleted, and when. The purge reads it from the stream when it is closed and once more when it
 * expires: whatever ended the request that laid it, what is left of the session goes.
 */
export const sessionTombstone = ({ client, table }: Database, project: string, session: string) => {
  const id = shortId();
  const Key = tombstoneKey(project, session);

  return {
    /** @param at epoch milliseconds: what changed later is spared. */
    lay: async (at: number): Promise<void> => {
      const ttl = Math.ceil(at / 1000) + laidSeconds;
      await client.send(new PutCommand({ TableName: table("rows"), Item: { ...Key, id, session, at, ttl } }));
    },
    /** Lets the purge begin, now that nobody counts any more. @param at epoch milliseconds. */
    close: async (at: number): Promise<void> => {
      // Refused: another request deletes the session too, and closes its own.
      await ifConditionHolds(
        client.send(
          new UpdateCommand({
            TableName: table("rows"),
            Key,
            UpdateExpression: "SET closed = :closed, #ttl = :ttl",
            ConditionExpression: "id = :id",
            ExpressionAttributeNames: { "#ttl": "ttl" },
            ExpressionAttributeValues: { ":id": id, ":closed": true, ":ttl": Math.ceil(at / 1000) + closedSeconds },
          }),
        ),
      );
    },
  };
};
