import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";

/** A run's item in an index over all projects. */
interface IndexedRun {
  readonly project: string;
  readonly run: string;
  readonly item: Item;
}

/**
 * Iterates over a partition of an index over all runs, in the order of the index; may lag writes by seconds.
 *
 * @param after sort key after which the iteration starts; the items up to this key come last.
 */
export const runsOfIndex = async function* (
  database: Database,
  index: "open" | "due",
  partition: string,
  after: string | null = null,
): AsyncGenerator<IndexedRun> {
  const sort = index === "due" ? "due_at" : "order_key";
  const ranges = after === null ? [""] : [` AND ${sort} > :after`, ` AND ${sort} <= :after`];
  for (const range of ranges) {
    const where = `${index}_key = :partition${range}`;
    const values = { ":partition": partition, ":after": after };
    for await (const item of itemsOf(database, "runs").query({ index, where, values })) {
      const [project = "", , run = ""] = String(item["pk"]).split("#");
      yield { project, run, item };
    }
  }
};
