import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";
import { reconciliationKey as Key } from "./keys.ts";

const hourMilliseconds = 3_600_000;

const item = v.object({ next_at: v.number() });

/** Whether the worker that looks through the access table was called now. */
export interface ReconciliationCall {
  readonly reconciliationCalled: boolean;
}

/** Has the access table looked through once an hour: its stream brings what is written here to the worker that does it. */
export const reconciliationCalling = ({ client, table }: Database, now: () => number = Date.now) => {
  const TableName = table("access");
  return async (): Promise<ReconciliationCall> => {
    const at = now();
    // Read first, and where it is cheapest: it is not due 59 times in an hour.
    const { Item } = await client.send(new GetCommand({ TableName, Key }));
    if (Item !== undefined && v.parse(item, Item).next_at > at) return { reconciliationCalled: false };
    const reconciliationCalled = await succeeds(
      client.send(
        new UpdateCommand({
          TableName,
          Key,
          UpdateExpression: "SET next_at = :next",
          ConditionExpression: "attribute_not_exists(next_at) OR next_at <= :now",
          ExpressionAttributeValues: { ":next": at + hourMilliseconds, ":now": at },
        }),
      ),
    );
    return { reconciliationCalled };
  };
};
