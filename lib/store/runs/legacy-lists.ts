import { ScanCommand, UpdateCommand, type ScanCommandInput } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import type { LegacyEntries } from "../totals/legacy-entries.ts";
import { legacyListOfPartition, monitorOfPartition, monitorRunsPartition, runListPartition } from "./keys.ts";

const entry = v.object({
  pk: v.string(),
  sk: v.string(),
  order_key: v.string(),
  list_key: v.string(),
  monitor_key: v.optional(v.string()),
});

/** Runs that previous versions of the service listed in other partitions. */
export const legacyRuns = ({ client, table }: Database): LegacyEntries => {
  const TableName = table("runs");

  const move = async ({ pk, sk, list_key: before, monitor_key: monitor }: v.InferOutput<typeof entry>) => {
    const list = legacyListOfPartition(before);
    if (list === null) return false;
    const { project, targetType } = list;
    return await succeeds(
      client.send(
        new UpdateCommand({
          TableName,
          Key: { pk, sk },
          UpdateExpression: `SET list_key = :list${monitor === undefined ? "" : ", monitor_key = :monitor"}`,
          ConditionExpression: "list_key = :before",
          ExpressionAttributeValues: {
            ":list": runListPartition(project, targetType),
            ":before": before,
            ...(monitor !== undefined && { ":monitor": monitorRunsPartition(project, monitorOfPartition(monitor)) }),
          },
        }),
      ),
    );
  };

  return {
    page: async (from, limit) => {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          IndexName: "by-created",
          ProjectionExpression: "pk, sk, order_key, list_key, monitor_key",
          ExclusiveStartKey: from as ScanCommandInput["ExclusiveStartKey"],
          Limit: limit,
        }),
      );
      const legacyRunItems = Items.map((item) => v.parse(entry, item)).filter(
        ({ list_key }) => legacyListOfPartition(list_key) !== null,
      );
      return { moves: legacyRunItems.map((each) => () => move(each)), next: LastEvaluatedKey };
    },
  };
};
