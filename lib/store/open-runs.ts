import { DeleteCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Database } from "./database.ts";
import { isConditionFailure } from "./failure.ts";
import { creating, type StoredRun } from "./run-codec.ts";
import { openPartition, runKey, sliceId, sliceKey } from "./run-keys.ts";

export interface OpenRuns {
  /** Every run that has not ended, oldest first; one that has just ended may still be among them. */
  list(): AsyncIterable<{ readonly project: string; readonly run: string }>;
  /** Removes a run whose creation was broken off. @returns false when it was committed after all. */
  removeUncommitted(stored: StoredRun): Promise<boolean>;
}

export const openRunStore = ({ client, table }: Database): OpenRuns => ({
  list: async function* () {
    const pages = paginateQuery(
      { client },
      {
        TableName: table("runs"),
        IndexName: "open",
        KeyConditionExpression: "open_key = :open",
        ExpressionAttributeValues: { ":open": openPartition },
      },
    );
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        const [project = "", , run = ""] = String(item["pk"]).split("#");
        yield { project, run };
      }
    }
  },

  removeUncommitted: async ({ run: { order }, attempt, slices }) => {
    try {
      await client.send(
        new DeleteCommand({
          TableName: table("runs"),
          Key: runKey(order.projectId, order.id),
          ConditionExpression: "#status = :creating AND attempt = :attempt",
          ExpressionAttributeNames: { "#status": "status" },
          ExpressionAttributeValues: { ":creating": creating, ":attempt": attempt },
        }),
      );
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
    for (let number = 0; number < slices; number += 1) {
      const Key = sliceKey(order.projectId, order.id, sliceId(attempt, number));
      await client.send(new DeleteCommand({ TableName: table("runs"), Key }));
    }
    return true;
  },
});
