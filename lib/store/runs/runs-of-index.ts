import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../database.ts";

/** An item of a run in an index over all projects. */
interface IndexedRun {
  readonly project: string;
  readonly run: string;
  readonly item: Readonly<Record<string, unknown>>;
}

/** Everything in one partition of an index over all runs, in the index's order; may lag writes by seconds. */
export const runsOfIndex = async function* (
  { client, table }: Database,
  index: "open" | "due",
  partition: string,
): AsyncGenerator<IndexedRun> {
  const pages = paginateQuery(
    { client },
    {
      TableName: table("runs"),
      IndexName: index,
      KeyConditionExpression: "#key = :partition",
      ExpressionAttributeNames: { "#key": `${index}_key` },
      ExpressionAttributeValues: { ":partition": partition },
    },
  );
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      const [project = "", , run = ""] = String(item["pk"]).split("#");
      yield { project, run, item };
    }
  }
};
