import { GetCommand, paginateQuery, UpdateCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";
import { monitorCountKey, monitorListPartition } from "./keys.ts";

/** How many monitors a project has, as the next one that is made finds it. */
export interface MonitorCount {
  readonly monitors: number;
  /** The write that counts one more, in the transaction that makes it: refused when the count is another by now. */
  readonly oneMore: NonNullable<NonNullable<TransactWriteCommandInput["TransactItems"]>[number]["Update"]>;
}

/**
 * A count that nobody has changed for so long is compared with the list of monitors: longer than any index lags, so that it has what
 * was counted, what functions of an earlier version have made and deleted beside it, and what a dead process left uncounted.
 */
const settledMilliseconds = 60_000;

const counted = v.object({ n: v.number(), at: v.number() });

/** The numbers of monitors, one item for a project. */
export const monitorCounts = ({ client, table }: Database, now: () => number) => {
  const TableName = table("monitors");

  const listed = async (project: string): Promise<number> => {
    let found = 0;
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
    for await (const { Count = 0 } of pages) found += Count;
    return found;
  };

  const read = async (project: string) => {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: monitorCountKey(project), ConsistentRead: true }),
    );
    return Item === undefined ? null : v.parse(counted, Item);
  };

  return {
    /** @param most monitors that the project may have. */
    look: async (project: string, most: number): Promise<MonitorCount> => {
      const known = await read(project);
      const at = now();
      const update = { TableName, Key: monitorCountKey(project), ExpressionAttributeNames: { "#at": "at" } };
      if (known !== null && at - known.at < settledMilliseconds)
        return {
          monitors: known.n,
          oneMore: {
            ...update,
            UpdateExpression: "SET #at = :now ADD n :one",
            ConditionExpression: "n < :most",
            ExpressionAttributeValues: { ":now": at, ":one": 1, ":most": most },
          },
        };
      const monitors = await listed(project);
      return {
        monitors,
        oneMore: {
          ...update,
          UpdateExpression: "SET #at = :now, n = :next",
          ConditionExpression: known === null ? "attribute_not_exists(pk)" : "n = :known AND #at = :knownAt",
          ExpressionAttributeValues: {
            ":now": at,
            ":next": monitors + 1,
            ...(known !== null && { ":known": known.n, ":knownAt": known.at }),
          },
        },
      };
    },

    /** After one was deleted. A process that dies before it leaves the count too high until it is compared. */
    oneLess: async (project: string): Promise<void> => {
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
