import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";

const dayMilliseconds = 86_400_000;

const Key = { pk: "sum-sample", sk: "turn" };

/**
 * Daily claim by which one worker compares a sample of hourly sums with trace rows. A worker that crashes leaves the
 * comparison to the next day.
 */
export const sampleClaim = ({ client, table }: Database, now: () => number) => ({
  /** Claims the comparison. @returns true for one caller a day. */
  claim: (): Promise<boolean> => {
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
