import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from "@aws-sdk/lib-dynamodb";
import { instantPosition, type Position } from "../../domain/page.ts";
import type { RunStatus, TargetType } from "../../domain/runs/run.ts";
import type { Database } from "../database.ts";
import { facetCounts, numberOf, runCountsPartition } from "../facets.ts";
import { listBudget, maxListed } from "../list-budget.ts";
import { listPage } from "../list-page.ts";
import type { Source } from "../newest-first.ts";
import { unpackRun, type StoredRun } from "./codec.ts";
import { runsOfMonitor, runsOfType } from "./counts.ts";
import {
  formerMonitorRunsPartition,
  formerRunListPartition,
  monitorRunsPartition,
  runListPartition,
  runOrder,
} from "./keys.ts";

/** A page of runs, newest first, and the number of all that match. */
interface RunPage {
  readonly runs: readonly StoredRun[];
  readonly total: number;
  /** The place of its last run; null when the list ends with it. */
  readonly last: Position | null;
}

/**
 * Lists of runs. What a page costs does not depend on how many runs there are; the number of all may lag writes by seconds,
 * where the list does not end with the page or soon after.
 */
export interface RunList {
  /**
   * Runs of a project about one kind of target.
   *
   * @throws Refusal `invalid` when too many runs would have to be read for a status or an offset.
   */
  page(
    project: string,
    targetType: TargetType,
    status: RunStatus | null,
    limit: number,
    offset: number,
    after?: Position | null,
  ): Promise<RunPage>;
  /** Runs that a monitor has made. @throws Refusal `invalid` when too many would have to be read for the offset. */
  ofMonitor(project: string, monitor: string, limit: number, offset: number, after?: Position | null): Promise<RunPage>;
}

interface Asked {
  readonly project: string;
  /** Of the counters. */
  readonly scope: string;
  readonly status: RunStatus | null;
  readonly limit: number;
  readonly offset: number;
  readonly after: Position | null;
}

const indexes = { list_key: "by-created", monitor_key: "by-monitor" } as const;

/** No counter lags by so many runs: what is asked for beyond is not there, which nothing has to be read to know. */
const farBeyond = 10_000;

const sourceOf = (key: keyof typeof indexes, partition: string, status: RunStatus | null): Source => ({
  IndexName: indexes[key],
  KeyConditionExpression: `${key} = :partition AND order_key BETWEEN :from AND :to`,
  // Before and behind every instant.
  ExpressionAttributeValues: {
    ":partition": partition,
    ":from": "0",
    ":to": ":",
    ...(status !== null && { ":status": status }),
  },
  ...(status !== null && { FilterExpression: "#status = :status", ExpressionAttributeNames: { "#status": "status" } }),
});

export const runList = (database: Database, now: () => number = Date.now, mostRead = maxListed): RunList => {
  const { client, table } = database;
  const counts = facetCounts(database, now);

  /** How many match of what previous versions have listed, and nobody has counted. */
  const numberOfFormer = async (source: Source): Promise<number> => {
    let [number, next]: [number, QueryCommandInput["ExclusiveStartKey"]] = [0, undefined];
    do {
      const page: QueryCommandOutput = await client.send(
        new QueryCommand({ TableName: table("runs"), ...source, Select: "COUNT", ExclusiveStartKey: next }),
      );
      number += page.Count ?? 0;
      next = page.LastEvaluatedKey;
    } while (next !== undefined);
    return number;
  };

  const read = async (own: Source, former: Source, asked: Asked): Promise<RunPage> => {
    const { project, scope, status, limit, after } = asked;
    // Behind a run nothing is left out.
    const offset = after === null ? asked.offset : 0;
    const [sums, old] = await Promise.all([counts.ofScope(runCountsPartition(project), scope), numberOfFormer(former)]);
    const all = numberOf(sums);
    const matching = status === null ? all : numberOf(sums, (facet) => facet === status);
    const counted = matching + old;
    if (offset >= counted + farBeyond) return { runs: [], total: counted, last: null };
    const budget = listBudget(mostRead, {
      what: "runs",
      loc: ["query", offset > limit ? "offset" : "status"],
      advice: offset > limit ? "Lower offset." : "Leave status out.",
    });
    const sparseness = Math.max(1, all / Math.max(1, matching));
    budget.expect(Math.min(all, (offset + limit) * sparseness));
    const list = { table: "runs", sort: "order_key", sources: old === 0 ? [own] : [own, former] } as const;
    const order = after === null ? null : runOrder(instantPosition(after).key, after.id);
    const asking = { limit, offset: asked.offset, after: order, counted, sparseness, onRead: budget.onRead };
    const { items, total, isEnd } = await listPage(database, list, asking);
    const runs = items.map(unpackRun);
    const end = isEnd ? undefined : runs.at(-1)?.run.order;
    return { runs, total, last: end === undefined ? null : { key: end.createdAt, id: end.id } };
  };

  return {
    page: (project, targetType, status, limit, offset, after = null) =>
      read(
        sourceOf("list_key", runListPartition(project, targetType), status),
        sourceOf("list_key", formerRunListPartition(project, targetType), status),
        { project, scope: runsOfType(targetType), status, limit, offset, after },
      ),
    ofMonitor: (project, monitor, limit, offset, after = null) =>
      read(
        sourceOf("monitor_key", monitorRunsPartition(project, monitor), null),
        sourceOf("monitor_key", formerMonitorRunsPartition(project, monitor), null),
        { project, scope: runsOfMonitor(monitor), status: null, limit, offset, after },
      ),
  };
};
