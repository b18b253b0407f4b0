import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../database.ts";

/** An item of a run in an index over all projects. */
interface IndexedRun {
  readonly project: string;
  readonly run: string;
  readonly item: Readonly<Record<string, unknown>>;
}

/**
 * Everything in one partition of an index over all runs, in the index's order; may lag writes by seconds.
 *
 * @param after a place in that order: what comes after it is given first.
 */
export const runsOfIndex = async function* (
  { client, table }: Database,
  index: "open" | "due",
  partition: string,
  after: string | null = null,
): AsyncGenerator<IndexedRun> {
  const parts = after === null ? [""] : [" AND #sort > :after", " AND #sort <= :after"];
  for (const part of parts) {
    const pages = paginateQuery(
      { client },
      {
        TableName: table("runs"),
        IndexName: index,
        KeyConditionExpression: `#key = :partition${part}`,
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
