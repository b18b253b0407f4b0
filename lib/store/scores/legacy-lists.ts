import { ScanCommand, UpdateCommand, type ScanCommandInput } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import type { LegacyEntries } from "../totals/legacy-entries.ts";
import { idOfOrder, listPartition, targetOfKey } from "./keys.ts";

const entry = v.object({ pk: v.string(), sk: v.string(), order_key: v.string(), list_key: v.string() });

/** Scores that previous versions of the service listed: the whole content of the index by creation. */
export const legacyScores = ({ client, table }: Database): LegacyEntries => {
  const TableName = table("scores");

  const move = ({ pk, sk, order_key: order, list_key: before }: v.InferOutput<typeof entry>): Promise<boolean> =>
    succeeds(
      client.send(
        new UpdateCommand({
          TableName,
          Key: { pk, sk },
          UpdateExpression: "SET time_key = :list REMOVE list_key",
          ConditionExpression: "list_key = :before",
          ExpressionAttributeValues: {
            ":list": listPartition(targetOfKey(pk), pk.slice(0, pk.indexOf("#")), idOfOrder(order)),
            ":before": before,
          },
        }),
      ),
    );

  return {
    page: async (from, limit) => {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          IndexName: "by-creation",
          ProjectionExpression: "pk, sk, order_key, list_key",
          ExclusiveStartKey: from as ScanCommandInput["ExclusiveStartKey"],
          Limit: limit,
        }),
      );
      const legacyItems = Items.map((item) => v.parse(entry, item));
      return { moves: legacyItems.map((each) => () => move(each)), next: LastEvaluatedKey };
    },
  };
};
