import { DeleteCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { bodyPartition } from "../traces/keys.ts";

const bodyItem = v.object({ sk: v.string() });

/** Items deleted at the same time. */
const parallel = 10;

/** Removes scores and document of a deleted incarnation of a trace. */
export interface TracePurge {
  /**
   * Removes scores, document parts and pointer of one incarnation of a trace; other incarnations of the trace id are
   * untouched. It may be repeated, and continues after an interrupted call.
   */
  purge(project: string, trace: string, incarnation: string): Promise<void>;
}

/** Removes the scores of one incarnation of a trace. */
type RemoveScores = (project: string, trace: string, incarnation: string) => Promise<void>;

export const tracePurge = ({ client, table }: Database, removeScores: RemoveScores): TracePurge => ({
  purge: async (project, trace, incarnation) => {
    await removeScores(project, trace, incarnation);
    const pk = bodyPartition(project, trace);
    const remove = async (sk: string): Promise<void> => {
      // A refusal means that the trace was sent again or another purge deleted the item first.
      await ifConditionHolds(
        client.send(
          new DeleteCommand({
            TableName: table("bodies"),
            Key: { pk, sk },
            ConditionExpression: "i = :i",
            ExpressionAttributeValues: { ":i": incarnation },
          }),
        ),
      );
    };
    const pages = paginateQuery(
      { client },
      {
        TableName: table("bodies"),
        KeyConditionExpression: "pk = :pk",
        FilterExpression: "i = :i",
        ProjectionExpression: "sk",
        ExpressionAttributeValues: { ":pk": pk, ":i": incarnation },
        ConsistentRead: true,
      },
    );
    for await (const { Items = [] } of pages) {
      const sorts = Items.map((item) => v.parse(bodyItem, item).sk);
      for (let start = 0; start < sorts.length; start += parallel) {
        await Promise.all(sorts.slice(start, start + parallel).map(remove));
      }
    }
  },
});
