import Table from "cli-table3";
import type { CheckResult } from "../check.ts";

/** A check with its result. */
export interface Finding extends CheckResult {
  readonly title: string;
}

/** Formats findings as a table. */
export const findingsTable = (findings: readonly Finding[]): string => {
  const table = new Table({
    head: ["check", "result", "details"],
    colWidths: [42, 19, 62],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { title, verdict, details } of findings) table.push([title, verdict, details]);
  return table.toString();
};
