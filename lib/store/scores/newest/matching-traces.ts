import type { TraceFilter } from "../../../domain/traces/filter.ts";
import type { Database } from "../../../dynamo/database.ts";
import { selection } from "../../traces/lists/list.ts";
import type { PackedTrace } from "../../traces/packed-trace.ts";
import { maxRows, rowBudget, rowScan } from "../../traces/row-scan.ts";
import { newestValues } from "./values.ts";

interface MatchOptions {
  /** True to read the incarnations of traces, too. */
  readonly withIncarnations?: boolean;
}

/**
 * Returns a function that visits the traces that match a filter, in no particular order; their rows may lag writes by
 * moments and newest scores by seconds. It throws a Refusal `invalid` when more than `rowLimit` rows would be read.
 */
export const matchingTraces = (database: Database, now: () => number = Date.now, rowLimit = maxRows) => {
  const [scan, scoresOf] = [rowScan(database, now), newestValues(database, "trace", now)];

  return async (
    project: string,
    filter: TraceFilter,
    visit: (trace: PackedTrace) => void,
    { withIncarnations = false }: MatchOptions = {},
  ): Promise<void> => {
    const countRow = rowBudget(rowLimit, ["query", "started_after"], "started_after and started_before");
    const matches = selection(project, filter, scoresOf, ["query", "score"], visit);
    const reading = { strongly: false, withIncarnations: withIncarnations || filter.scores !== null };
    await scan.all(project, filter, reading, (trace) => {
      countRow();
      matches.add(trace);
    });
    await matches.finish();
  };
};
