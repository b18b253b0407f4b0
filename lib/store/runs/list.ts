import { instantPosition, type Position } from "../../domain/page.ts";
import type { RunStatus, TargetType } from "../../domain/runs/run.ts";
import type { Database } from "../../dynamo/database.ts";
import { facetCounts, sumMatching, runCountsPartition } from "../totals/facets.ts";
import { listBudget, maxListItems } from "../totals/list-budget.ts";
import { listPage } from "../totals/list-page.ts";
import type { Source } from "../totals/newest-first.ts";
import { unpackRun, type StoredRun } from "./codec.ts";
import { runsOfMonitor, runsOfType } from "./counts.ts";
import { monitorRunsPartition, runListPartition, runOrder } from "./keys.ts";

/** A page of runs, newest first, with the number of all matching runs. */
interface RunPage {
  readonly runs: readonly StoredRun[];
  readonly total: number;
  /** Cursor of the page's last run (creation time and id); null when the list ends with the page. */
  readonly last: Position | null;
}

/**
 * Lists of runs. The cost of a page does not depend on the number of runs; the total may lag writes by seconds unless
 * the list ends on or shortly after the page.
 */
export interface RunList {
  /**
   * Lists a project's runs of one target type.
   *
   * @throws Refusal `invalid` when too many runs would be read for a status or an offset.
   */
  page(
    project: string,
    targetType: TargetType,
    status: RunStatus | null,
    limit: number,
    offset: number,
    after?: Position | null,
  ): Promise<RunPage>;
  /** Lists the runs of a monitor. @throws Refusal `invalid` when too many runs would be read for the offset. */
  ofMonitor(project: string, monitor: string, limit: number, offset: number, after?: Position | null): Promise<RunPage>;
}

interface RunListRequest {
  readonly project: string;
  /** Counter scope of the runs. */
  readonly scope: string;
  readonly status: RunStatus | null;
  readonly limit: number;
  readonly offset: number;
  readonly after: Position | null;
}

const indexes = { list_key: "by-created", monitor_key: "by-monitor" } as const;

/**
 * Max runs by which a counter can lag behind the list. A page whose offset is further beyond the counter is empty
 * without a read.
 */
const maxCounterLag = 10_000;

const sourceOf = (key: keyof typeof indexes, partition: string, status: RunStatus | null): Source => ({
  index: indexes[key],
  where: `${key} = :partition AND order_key BETWEEN :from AND :to`,
  // `:from` and `:to` sort before and after every instant.
  values: { ":partition": partition, ":from": "0", ":to": ":", ":status": status },
  ...(status !== null && { filter: "#status = :status" }),
});

export const runList = (database: Database, now: () => number = Date.now, maxRead = maxListItems): RunList => {
  const counts = facetCounts(database, now);

  const readPage = async (source: Source, request: RunListRequest): Promise<RunPage> => {
    const { project, scope, status, limit, after } = request;
    // A page requested by cursor (`after`) has no offset.
    const offset = after === null ? request.offset : 0;
    const sums = await counts.ofScope(runCountsPartition(project), scope);
    const scopeTotal = sumMatching(sums);
    const matching = status === null ? scopeTotal : sumMatching(sums, (facet) => facet === status);
    if (offset >= matching + maxCounterLag) return { runs: [], total: matching, last: null };
    const budget = listBudget(maxRead, {
      noun: "runs",
      loc: ["query", offset > limit ? "offset" : "status"],
      advice: offset > limit ? "Lower offset." : "Leave status out.",
    });
    const sparseness = Math.max(1, scopeTotal / Math.max(1, matching));
    budget.expect(Math.min(scopeTotal, (offset + limit) * sparseness));
    const list = { table: "runs", sort: "order_key", sources: [source] } as const;
    const order = after === null ? null : runOrder(instantPosition(after).key, after.id);
    const pageRequest = {
      limit,
      offset: request.offset,
      after: order,
      counterTotal: matching,
      sparseness,
      onRead: budget.onRead,
    };
    const { items, total, isEnd } = await listPage(database, list, pageRequest);
    const runs = items.map(unpackRun);
    const lastOrder = isEnd ? undefined : runs.at(-1)?.run.order;
    return { runs, total, last: lastOrder === undefined ? null : { key: lastOrder.createdAt, id: lastOrder.id } };
  };

  return {
    page: (project, targetType, status, limit, offset, after = null) =>
      readPage(sourceOf("list_key", runListPartition(project, targetType), status), {
        project,
        scope: runsOfType(targetType),
        status,
        limit,
        offset,
        after,
      }),
    ofMonitor: (project, monitor, limit, offset, after = null) =>
      readPage(sourceOf("monitor_key", monitorRunsPartition(project, monitor), null), {
        project,
        scope: runsOfMonitor(monitor),
        status: null,
        limit,
        offset,
        after,
      }),
  };
};
