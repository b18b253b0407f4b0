import { GetCommand, paginateQuery, UpdateCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { monitorCountKey, monitorListPartition } from "./keys.ts";

/** Number of monitors of a project, read before another one is created. */
export interface MonitorCount {
  readonly monitors: number;
  /**
   * Write that increments the counter, for the transaction that creates the monitor. It fails when the counter has
   * changed meanwhile.
   */
  readonly increment: NonNullable<NonNullable<TransactWriteCommandInput["TransactItems"]>[number]["Update"]>;
}

/**
 * Milliseconds without a change after which the counter is compared with the list of monitors. It is longer than any
 * index lags, so that the list contains all that was counted, and it repairs changes that were not counted by older
 * versions of the service or after a crash.
 */
const recountAfterMilliseconds = 60_000;

const counterItem = v.object({ n: v.number(), at: v.number() });

/** Counters of monitors, one item per project. */
export const monitorCounts = ({ client, table }: Database, now: () => number) => {
  const TableName = table("monitors");

  const countListed = async (project: string): Promise<number> => {
    let total = 0;
    const pages = paginateQuery(
      { client },
      {
        TableName,
        IndexName: "by-created",
        KeyConditionExpression: "list_key = :list",
        ExpressionAttributeValues: { ":list": monitorListPartition(project) },
        Select: "COUNT",
      },
    );
    for await (const { Count = 0 } of pages) total += Count;
    return total;
  };

  const readCounter = async (project: string) => {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: monitorCountKey(project), ConsistentRead: true }),
    );
    return Item === undefined ? null : v.parse(counterItem, Item);
  };

  return {
    /** @param maxMonitors max monitors of a project. */
    read: async (project: string, maxMonitors: number): Promise<MonitorCount> => {
      const counter = await readCounter(project);
      const at = now();
      const update = { TableName, Key: monitorCountKey(project), ExpressionAttributeNames: { "#at": "at" } };
      if (counter !== null && at - counter.at < recountAfterMilliseconds)
        return {
          monitors: counter.n,
          increment: {
            ...update,
            UpdateExpression: "SET #at = :now ADD n :one",
            ConditionExpression: "n < :most",
            ExpressionAttributeValues: { ":now": at, ":one": 1, ":most": maxMonitors },
          },
        };
      const monitors = await countListed(project);
      return {
        monitors,
        increment: {
          ...update,
          UpdateExpression: "SET #at = :now, n = :next",
          ConditionExpression: counter === null ? "attribute_not_exists(pk)" : "n = :known AND #at = :knownAt",
          ExpressionAttributeValues: {
            ":now": at,
            ":next": monitors + 1,
            ...(counter !== null && { ":known": counter.n, ":knownAt": counter.at }),
          },
        },
      };
    },

    /**
     * Decrements the counter after a monitor was deleted. After a crash before this call the counter is too high
     * until it is compared with the list.
     */
    decrement: async (project: string): Promise<void> => {
      await ifConditionHolds(
        client.send(
          new UpdateCommand({
            TableName,
            Key: monitorCountKey(project),
            UpdateExpression: "SET #at = :now ADD n :minus",
            ConditionExpression: "n > :none",
            ExpressionAttributeNames: { "#at": "at" },
            ExpressionAttributeValues: { ":now": now(), ":minus": -1, ":none": 0 },
          }),
        ),
      );
    },
  };
};
