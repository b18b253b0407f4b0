import type { TraceFilter } from "../../../domain/traces/filter.ts";
import type { Database } from "../../../dynamo/database.ts";
import { selection } from "../../traces/lists/list.ts";
import { type FileQuestion, scanWithFiles } from "../../traces/lists/scan-with-files.ts";
import type { PackedTrace } from "../../traces/packed-trace.ts";
import { maxRows, rowBudget, rowScan } from "../../traces/row-scan.ts";
import { newestValues } from "./values.ts";

interface MatchOptions {
  /** True to read the incarnations of traces, too. */
  readonly withIncarnations?: boolean;
}

/**
 * Returns a function that visits the traces that match a filter, in no particular order, but those of days whose files it asks; their rows
 * may lag writes by moments and newest scores by seconds. It returns what the files have of the matching traces, null if it visited all.
 * It throws a Refusal `invalid` when more than `rowLimit` rows would be read.
 */
export const matchingTraces = (database: Database, now: () => number = Date.now, rowLimit = maxRows) => {
  const [scan, scoresOf] = [rowScan(database, now), newestValues(database, "trace", now)];

  return async <Part = never>(
    project: string,
    filter: TraceFilter,
    visit: (trace: PackedTrace) => void,
    { withIncarnations = false }: MatchOptions = {},
    question: FileQuestion<Part> = { files: null, ask: async () => null },
  ): Promise<Part | null> => {
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const countRow = rowBudget(rowLimit, ...bounds);
    const matches = selection(project, filter, scoresOf, ["query", "score"], visit);
    const reading = { strongly: false, withIncarnations: withIncarnations || filter.scores !== null };
    const add = (trace: PackedTrace): void => {
      countRow();
      matches.add(trace);
    };
    const rows = { reading, visit: add, limit: [rowLimit, ...bounds] } as const;
    const part = await scanWithFiles(scan, project, filter, rows, question);
    await matches.finish();
    return part;
  };
};
