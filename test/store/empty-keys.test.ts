import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { startDatabase } from "../support/database/database.ts";
import { emptyKeyMessage } from "../support/database/refuse-empty-keys.ts";

test("a query that compares a key with an empty string is refused, as by DynamoDB", async () => {
  const database = await startDatabase();
  onTestFinished(() => database.close());
  const query = (condition: string, sk: string) =>
    database.client.send(
      new QueryCommand({
        TableName: "aggregates",
        KeyConditionExpression: condition,
        ExpressionAttributeValues: { ":pk": "p", ":sk": sk },
      }),
    );

  await expect(query("pk = :pk AND sk > :sk", "")).rejects.toThrow(emptyKeyMessage);
  await expect(query("pk = :pk AND begins_with(sk, :sk)", "")).rejects.toThrow(emptyKeyMessage);
  expect((await query("pk = :pk AND sk > :sk", "$")).Items).toEqual([]);
});
