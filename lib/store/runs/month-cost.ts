import { microsUp, type Micros } from "../../domain/runs/budget.ts";
import { addUsage, chargedOf, isTerminal, noUsage, targetTypes, type TargetType } from "../../domain/runs/run.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { unpackRun, type StoredRun } from "./codec.ts";
import { runListPartition } from "./keys.ts";
import type { Runs } from "./runs.ts";

/** Runs of a project that were created since an instant and still exist. */
export interface RunsCost {
  /** Micro-dollars of these runs that the month's totals lack: slices in work, and runs of builds that counted none. */
  readonly uncounted: Micros;
  /** Number of runs. */
  readonly runs: number;
  /** Number of runs whose cost is not known. */
  readonly unpricedRuns: number;
  /** False if the oldest run is of a build that counted none, so that the totals lack earlier costs, too. */
  readonly isComplete: boolean;
}

/** Maximum number of runs of a target type that are read; their items have 1 to 2 KB. */
const maxRuns = 500;

/**
 * Returns a function that sums the cost of a project's newest runs that the month's totals lack. It may lag writes by
 * seconds.
 */
export const runsCost = (database: Database, runs: Pick<Runs, "slices">, max = maxRuns) => {
  const listed = async function* (project: string, type: TargetType, from: Instant, descending: boolean) {
    const query = itemsOf(database, "runs").query({
      index: "by-created",
      where: "list_key = :partition AND order_key BETWEEN :from AND :to",
      // `:to` sorts after every instant.
      values: { ":partition": runListPartition(project, type), ":from": from, ":to": ":" },
      descending,
      limit: descending ? undefined : 1,
    });
    for await (const item of query) yield unpackRun(item);
  };

  const costOf = async ({ run: { order, status, usage }, attempt, counted }: StoredRun) => {
    if (isTerminal(status)) return { usage, uncounted: microsUp(chargedOf(usage)) - (counted ?? 0) };
    const slices = await runs.slices(order.projectId, order.id, attempt);
    const missing = slices.map(({ slice, counted: each }) => microsUp(chargedOf(slice.usage)) - each);
    return {
      usage: slices.map(({ slice }) => slice.usage).reduce(addUsage, noUsage),
      uncounted: missing.reduce((sum, each) => sum + each, 0),
    };
  };

  return async (project: string, since: Instant): Promise<RunsCost> => {
    let [uncounted, count, unpricedRuns, isComplete] = [0, 0, 0, true];
    for (const type of targetTypes) {
      let countOfType = 0;
      for await (const storedRun of listed(project, type, since, true)) {
        if (countOfType === max) break;
        const cost = await costOf(storedRun);
        countOfType += 1;
        if (cost.usage.cost === null) unpricedRuns += 1;
        // Totals are rounded up slice by slice.
        uncounted += Math.max(0, cost.uncounted);
      }
      count += countOfType;
      for await (const { counted } of listed(project, type, since, false)) {
        if (counted === null) isComplete = false;
        break;
      }
    }
    return { uncounted, runs: count, unpricedRuns, isComplete };
  };
};
