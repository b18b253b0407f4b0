import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { epochOf, instantAt } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { dueKey, duePartition } from "./keys.ts";
import { runsOfIndex } from "./runs-of-index.ts";

/** A run and the instant at which somebody has to look at it, epoch milliseconds. */
interface DueRun {
  readonly project: string;
  readonly run: string;
  readonly at: number;
}

/**
 * When the sweeper has to look at runs of which nothing is to be seen before: an item beside each of them, so that noting
 * it touches neither the run's counts nor the indexes and the stream that the run is in.
 */
export interface DueRuns {
  /** All that are noted, the earliest first; one that was just noted or dropped may be missing or still be among them. */
  list(): AsyncIterable<DueRun>;
  note(due: DueRun): Promise<void>;
  drop(due: Pick<DueRun, "project" | "run">): Promise<void>;
}

export const dueRunStore = (database: Database): DueRuns => {
  const { client, table } = database;
  const TableName = table("runs");
  return {
    list: async function* () {
      for await (const { project, run, item } of runsOfIndex(database, "due", duePartition))
        yield { project, run, at: epochOf(String(item["due_at"])) };
    },

    note: async ({ project, run, at }) => {
      await client.send(
        new UpdateCommand({
          TableName,
          Key: dueKey(project, run),
          UpdateExpression: "SET kind = :kind, due_key = :due, due_at = :at",
          ExpressionAttributeValues: { ":kind": "due", ":due": duePartition, ":at": instantAt(at) },
        }),
      );
    },

    drop: async ({ project, run }) => {
      await client.send(new DeleteCommand({ TableName, Key: dueKey(project, run) }));
    },
  };
};
