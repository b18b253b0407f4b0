import Table from "cli-table3";
import type { TraceScore } from "../../../lib/client/interface.ts";

/** Formats a score's value: `n/a` if the metric does not apply, with `, rules` if the offline rules computed it. */
const scoreText = ({ value, status, applicable, metadata }: TraceScore): string => {
  if (applicable === false) return "n/a";
  return metadata["judge"] === "rules" ? `${value ?? status}, rules` : (value ?? status);
};

/** Formats scores with their reasons as a table, grouped by trace. @param titles trace titles by trace id */
export const scoreTable = (titles: ReadonlyMap<string, string>, scores: readonly TraceScore[]): string => {
  const table = new Table({
    head: ["trace", "metric", "score", "reason"],
    colWidths: [34, 18, 12, 60],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const [id, title] of titles) {
    const traceScores = scores
      .filter(({ trace_id: trace }) => trace === id)
      .toSorted((a, b) => a.name.localeCompare(b.name));
    for (const score of traceScores) table.push([title, score.name, scoreText(score), score.reason ?? ""]);
  }
  return table.toString();
};
