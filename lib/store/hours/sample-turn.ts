import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";

const dayMilliseconds = 86_400_000;

const Key = { pk: "sum-sample", sk: "turn" };

/** Whose turn it is to compare sums with rows. A worker that dies at it leaves it to the next day: it is a sample. */
export const sampleTurn = ({ client, table }: Database, now: () => number) => ({
  /** @returns whether it is the caller's: once a day it is somebody's. */
  take: (): Promise<boolean> => {
    const at = now();
    return succeeds(
      client.send(
        new UpdateCommand({
          TableName: table("aggregates"),
          Key,
          UpdateExpression: "SET next_at = :next",
          ConditionExpression: "attribute_not_exists(next_at) OR next_at <= :now",
          ExpressionAttributeValues: { ":next": at + dayMilliseconds, ":now": at },
        }),
      ),
    );
  },
});
