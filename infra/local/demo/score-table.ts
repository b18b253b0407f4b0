import Table from "cli-table3";
import type { InferOutput } from "valibot";
import type { traceScore } from "../../../lib/contract/scores/trace-scores.ts";

/** Scores with their reasons as a table, trace by trace. @param titles of the traces, by id */
export const scoreTable = (
  titles: ReadonlyMap<string, string>,
  scores: readonly InferOutput<typeof traceScore>[],
): string => {
  const table = new Table({
    head: ["trace", "metric", "score", "reason"],
    colWidths: [34, 18, 7, 60],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const [id, title] of titles) {
    const own = scores.filter(({ trace_id: trace }) => trace === id).toSorted((a, b) => a.name.localeCompare(b.name));
    for (const { name, value, status, reason } of own) table.push([title, name, value ?? status, reason ?? ""]);
  }
  return table.toString();
};
