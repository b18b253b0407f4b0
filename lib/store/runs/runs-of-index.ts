import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../dynamo/database.ts";

/** A run's item in an index over all projects. */
interface IndexedRun {
  readonly project: string;
  readonly run: string;
  readonly item: Readonly<Record<string, unknown>>;
}

/**
 * Iterates over a partition of an index over all runs, in the order of the index; may lag writes by seconds.
 *
 * @param after sort key after which the iteration starts; the items up to this key come last.
 */
export const runsOfIndex = async function* (
  { client, table }: Database,
  index: "open" | "due",
  partition: string,
  after: string | null = null,
): AsyncGenerator<IndexedRun> {
  const ranges = after === null ? [""] : [" AND #sort > :after", " AND #sort <= :after"];
  for (const range of ranges) {
    const pages = paginateQuery(
      { client },
      {
        TableName: table("runs"),
        IndexName: index,
        KeyConditionExpression: `#key = :partition${range}`,
        ExpressionAttributeNames: {
          "#key": `${index}_key`,
          ...(after !== null && { "#sort": index === "due" ? "due_at" : "order_key" }),
        },
        ExpressionAttributeValues: { ":partition": partition, ...(after !== null && { ":after": after }) },
      },
    );
    for await (const { Items = [] } of pages) {
      for (const item of Items) {
        const [project = "", , run = ""] = String(item["pk"]).split("#");
        yield { project, run, item };
      }
    }
  }
};
