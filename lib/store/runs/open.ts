import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { epochOf } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";
import { creating, type StoredRun } from "./codec.ts";
import { createdAtOfOrder, openPartition, runKey } from "./keys.ts";
import { runsOfIndex } from "./runs-of-index.ts";
import { deleteSlices, sliceKeys } from "./slice-removal.ts";
import { shortId } from "../traces/writer.ts";

/** A run that has not ended, and when it was created, epoch milliseconds. */
interface OpenRun {
  readonly project: string;
  readonly run: string;
  readonly createdAt: number;
}

export interface OpenRuns {
  /** Every run that has not ended, oldest first; one that has just ended may still be among them. */
  list(): AsyncIterable<OpenRun>;
  /** Removes a run whose creation was broken off. @returns false when it was committed after all. */
  removeUncommitted(stored: StoredRun): Promise<boolean>;
}

export const openRunStore = (database: Database): OpenRuns => {
  const { client, table } = database;
  return {
    list: async function* () {
      for await (const { project, run, item } of runsOfIndex(database, "open", openPartition))
        yield { project, run, createdAt: epochOf(createdAtOfOrder(String(item["order_key"]))) };
    },

    removeUncommitted: async ({ run: { order }, attempt }) => {
      const { projectId, id } = order;
      const broken = await sliceKeys(database, projectId, id);
      const fence = shortId();
      // From here on what put these slices cannot commit; a repeated request puts slices of its own.
      const fenced = await succeeds(
        client.send(
          new UpdateCommand({
            TableName: table("runs"),
            Key: runKey(projectId, id),
            UpdateExpression: "SET attempt = :fence",
            ConditionExpression: "#status = :creating AND attempt = :attempt",
            ExpressionAttributeNames: { "#status": "status" },
            ExpressionAttributeValues: { ":creating": creating, ":attempt": attempt, ":fence": fence },
          }),
        ),
      );
      if (!fenced) return false;
      await deleteSlices(database, broken);
      // The run goes last: it is what the slices are found by.
      await succeeds(
        client.send(
          new DeleteCommand({
            TableName: table("runs"),
            Key: runKey(projectId, id),
            ConditionExpression: "attempt = :fence",
            ExpressionAttributeValues: { ":fence": fence },
          }),
        ),
      );
      return true;
    },
  };
};
