import Table from "cli-table3";
import type { Answer } from "../question.ts";

/** A question with what came of it. */
export interface Finding extends Answer {
  readonly title: string;
}

/** What was asked and what came of it, as a table. */
export const findingsTable = (findings: readonly Finding[]): string => {
  const table = new Table({
    head: ["question", "answer", "seen"],
    colWidths: [42, 19, 62],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { title, verdict, seen } of findings) table.push([title, verdict, seen]);
  return table.toString();
};
