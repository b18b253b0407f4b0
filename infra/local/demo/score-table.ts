import Table from "cli-table3";
import type { TraceScore } from "../../../lib/client/interface.ts";

/** A score's value, and what keeps it from being one to count on. */
const shown = ({ value, status, applicable, metadata }: TraceScore): string => {
  if (applicable === false) return "n/a";
  return metadata["judge"] === "rules" ? `${value ?? status}, rules` : (value ?? status);
};

/** Scores with their reasons as a table, trace by trace. @param titles of the traces, by id */
export const scoreTable = (titles: ReadonlyMap<string, string>, scores: readonly TraceScore[]): string => {
  const table = new Table({
    head: ["trace", "metric", "score", "reason"],
    colWidths: [34, 18, 12, 60],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const [id, title] of titles) {
    const own = scores.filter(({ trace_id: trace }) => trace === id).toSorted((a, b) => a.name.localeCompare(b.name));
    for (const score of own) table.push([title, score.name, shown(score), score.reason ?? ""]);
  }
  return table.toString();
};
