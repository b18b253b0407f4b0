import { randomUUID } from "node:crypto";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { hourOf, type Hour } from "../../domain/analytics/bucket.ts";
import type { Database } from "../database.ts";
import { instantOfOrder, scoreKey, targetOfKey, type ScoreTarget } from "./keys.ts";

/** An hour in which scores of a project were made. */
export interface ScoreHour {
  readonly project: string;
  readonly target: ScoreTarget;
  readonly hour: Hour;
}

/** Items looked through for a score: copies lie between them. */
const nearby = 50;

const item = v.object({ pk: v.string(), order_key: v.optional(v.string()) });

/** An hour in which scores were made, one with more of them more often; null where none was found. */
export const randomScoreHour = async ({ client, table }: Database): Promise<ScoreHour | null> => {
  // Behind the last place of the table is its beginning.
  for (const ExclusiveStartKey of [scoreKey(randomUUID(), randomUUID()), undefined]) {
    const { Items = [] } = await client.send(
      new ScanCommand({
        TableName: table("scores"),
        Limit: nearby,
        ProjectionExpression: "pk, order_key",
        ExclusiveStartKey,
      }),
    );
    for (const each of Items) {
      const { pk, order_key: order } = v.parse(item, each);
      if (order === undefined) continue;
      return { project: pk.slice(0, pk.indexOf("#")), target: targetOfKey(pk), hour: hourOf(instantOfOrder(order)) };
    }
  }
  return null;
};
