import { addUsage, chargedOf, noUsage, targetTypes } from "../../domain/runs/run.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { unpackRun } from "./codec.ts";
import { runListPartition } from "./keys.ts";
import type { Runs } from "./runs.ts";

/** Cost of the judge calls of a project's runs. */
export interface RunsCost {
  /** US dollars that count toward ceilings, where the price is known. */
  readonly usd: number;
  /** Number of runs. */
  readonly runs: number;
  /** Number of runs whose cost is not known. */
  readonly unpricedRuns: number;
  /** False if there are more runs, whose cost is not included. */
  readonly isComplete: boolean;
}

/** Maximum number of runs of a target type whose cost is added; their items have 1 to 2 KB. */
const maxRuns = 500;

/**
 * Returns a function that sums the cost of a project's runs that were created since an instant and still exist, the newest first. It may
 * lag writes by seconds.
 */
export const runsCost =
  (database: Database, runs: Pick<Runs, "withLiveCounts">, max = maxRuns) =>
  async (project: string, since: Instant): Promise<RunsCost> => {
    let [total, count, unpricedRuns, isComplete] = [noUsage, 0, 0, true];
    for (const targetType of targetTypes) {
      let countOfType = 0;
      const query = itemsOf(database, "runs").query({
        index: "by-created",
        where: "list_key = :partition AND order_key BETWEEN :from AND :to",
        // `:to` sorts after every instant.
        values: { ":partition": runListPartition(project, targetType), ":from": since, ":to": ":" },
        descending: true,
      });
      for await (const item of query) {
        if (countOfType === max) {
          isComplete = false;
          break;
        }
        const { usage } = await runs.withLiveCounts(unpackRun(item));
        countOfType += 1;
        if (usage.cost === null) unpricedRuns += 1;
        total = addUsage(total, { ...noUsage, cost: chargedOf(usage) });
      }
      count += countOfType;
    }
    return { usd: chargedOf(total), runs: count, unpricedRuns, isComplete };
  };
