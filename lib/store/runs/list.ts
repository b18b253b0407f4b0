import { instantPosition, type Position } from "../../domain/page.ts";
import type { Instant } from "../../domain/instant.ts";
import type { RunStatus, TargetType } from "../../domain/runs/run.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import { facetCounts, sumMatching, runCountsPartition } from "../totals/facets.ts";
import { failedLists } from "../totals/failed-lists.ts";
import { checkOffset, listBudget, maxListItems } from "../totals/list-budget.ts";
import { listPage } from "../totals/list-page.ts";
import type { Source } from "../totals/newest-first.ts";
import { unpackRun, type StoredRun } from "./codec.ts";
import { runsOfMonitor, runsOfType } from "./counts.ts";
import { createdAtOfOrder, failedRunsPartition, monitorRunsPartition, runListPartition, runOrder } from "./keys.ts";

/** Position of the run with a sort key. */
const positionOfOrder = (order: string): Position => {
  const key = createdAtOfOrder(order);
  return { key, id: order.slice(key.length + 1) };
};

/** A page of runs, newest first, with the number of all matching runs. */
interface RunPage {
  readonly runs: readonly StoredRun[];
  readonly total: number;
  /** Cursor of the page's last run (creation time and id); null when the list ends with the page. */
  readonly last: Position | null;
}

/** Filters of a list of runs. */
interface RunFilter {
  readonly status?: RunStatus | undefined;
  /** Start of the range of creation times, inclusive, and its end, exclusive. */
  readonly date_from?: Instant | undefined;
  readonly date_to?: Instant | undefined;
}

/**
 * Lists of runs. The cost of a page without dates does not depend on the number of runs; the total may lag writes by
 * seconds unless the list ends on or shortly after the page. With dates all matching runs are counted.
 */
export interface RunList {
  /**
   * Lists a project's runs of one target type.
   *
   * @throws Refusal `invalid` when too many runs would be read for a filter or an offset.
   */
  page(
    project: string,
    targetType: TargetType,
    filter: RunFilter,
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
  readonly filter: RunFilter;
  readonly limit: number;
  readonly offset: number;
  readonly after: Position | null;
}

const indexes = { list_key: "by-created", monitor_key: "by-monitor", open_key: "open" } as const;

/**
 * Max runs by which a counter can lag behind the list. A page whose offset is further beyond the counter is empty
 * without a read.
 */
const maxCounterLag = 10_000;

/** Bounds below and above every instant as text. */
const [beforeAll, afterAll] = ["0", ":"];

const sourceOf = (
  key: keyof typeof indexes,
  partition: string,
  { status, date_from: from = beforeAll, date_to: to = afterAll }: RunFilter,
): Source => ({
  index: indexes[key],
  where: `${key} = :partition AND order_key BETWEEN :from AND :to`,
  values: { ":partition": partition, ":from": from, ":to": to, ":status": status },
  // The list of failed runs has only keys.
  ...(status !== undefined && key !== "open_key" && { filter: "#status = :status" }),
});

export const runList = (database: Database, now: () => number = Date.now, maxRead = maxListItems): RunList => {
  const counts = facetCounts(database, now);
  const failed = failedLists(database, now);

  /** Returns the number of all runs that a source reads, and of the matching ones, by counters or by counting. */
  const countsOf = async (source: Source, { project, scope, filter }: RunListRequest) => {
    const { status, date_from, date_to } = filter;
    if (date_from === undefined && date_to === undefined) {
      const sums = await counts.ofScope(runCountsPartition(project), scope);
      const scopeTotal = sumMatching(sums);
      const matching = status === undefined ? scopeTotal : sumMatching(sums, (facet) => facet === status);
      return { scopeTotal: source.index === "open" ? matching : scopeTotal, matching };
    }
    const advice = "Narrow date_from and date_to.";
    const budget = listBudget(maxRead, { noun: "runs", loc: ["query", "date_from"], advice });
    const sums = { scopeTotal: 0, matching: 0 };
    for await (const page of itemsOf(database, "runs").pages({ ...source, countOnly: true })) {
      budget.onRead(page.scanned);
      sums.scopeTotal += page.scanned;
      sums.matching += page.count;
    }
    return sums;
  };

  /** Reads the runs of a page, newest first; those of the list of failed runs by their keys. */
  const runsOf = async (source: Source, items: readonly Item[]): Promise<readonly StoredRun[]> => {
    if (source.index !== "open") return items.map(unpackRun);
    const keys = items.map(({ pk, sk }) => ({ pk, sk }));
    const runItems = await batchGet(database, "runs", keys, { strongly: false });
    const byPartition = new Map(runItems.map((item) => [item["pk"], unpackRun(item)]));
    const runs = items.flatMap(({ pk }) => byPartition.get(pk) ?? []);
    return runs.filter(({ run, deletion }) => run.status === "FAILED" && deletion === null);
  };

  const readPage = async (source: Source, request: RunListRequest): Promise<RunPage> => {
    const { limit, after } = request;
    // A page requested by cursor (`after`) has no offset.
    const offset = after === null ? request.offset : 0;
    const { scopeTotal, matching } = await countsOf(source, request);
    if (offset >= matching + maxCounterLag) return { runs: [], total: matching, last: null };
    checkOffset(Math.min(offset, matching), maxRead, "runs");
    const budget = listBudget(maxRead, { noun: "runs", loc: ["query", "status"], advice: "Leave status out." });
    const sparseness = Math.max(1, scopeTotal / Math.max(1, matching));
    budget.expect(Math.min(scopeTotal, (offset + limit) * sparseness));
    const list = { table: "runs", sort: "order_key", sources: [source] } as const;
    const pageRequest = {
      limit,
      offset: request.offset,
      after: after === null ? null : runOrder(instantPosition(after).key, after.id),
      counterTotal: matching,
      sparseness,
      onRead: budget.onRead,
    };
    const { items, total, isEnd } = await listPage(database, list, pageRequest);
    const runs = await runsOf(source, items);
    const order: unknown = isEnd ? undefined : items.at(-1)?.["order_key"];
    return { runs, total, last: typeof order === "string" ? positionOfOrder(order) : null };
  };

  return {
    page: async (project, targetType, filter, limit, offset, after = null) => {
      if ((filter.date_from ?? beforeAll) >= (filter.date_to ?? afterAll)) return { runs: [], total: 0, last: null };
      const source =
        filter.status === "FAILED" && (await failed.isComplete())
          ? sourceOf("open_key", failedRunsPartition(project, targetType), filter)
          : sourceOf("list_key", runListPartition(project, targetType), filter);
      return await readPage(source, { project, scope: runsOfType(targetType), filter, limit, offset, after });
    },
    ofMonitor: (project, monitor, limit, offset, after = null) =>
      readPage(sourceOf("monitor_key", monitorRunsPartition(project, monitor), {}), {
        project,
        scope: runsOfMonitor(monitor),
        filter: {},
        limit,
        offset,
        after,
      }),
  };
};
