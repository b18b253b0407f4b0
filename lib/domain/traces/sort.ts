import type { SortKey } from "../list-order.ts";
import type { ListedTrace } from "./row.ts";

/** Sort keys of a list of traces. */
export const traceSortColumns = [
  "started_at",
  "ended_at",
  "name",
  "latency",
  "status",
  "cost",
  "tokens",
  "errors",
] as const;
export type TraceSortColumn = (typeof traceSortColumns)[number];

/** Returns the sort key of a trace. */
export const traceSortKey = (
  trace: Pick<
    ListedTrace,
    "startedAt" | "endedAt" | "name" | "latency" | "status" | "totalCost" | "totalTokens" | "facts"
  >,
  column: TraceSortColumn,
): SortKey => {
  switch (column) {
    case "started_at":
      return trace.startedAt;
    case "ended_at":
      return trace.endedAt;
    case "name":
      return trace.name;
    case "latency":
      return trace.latency;
    case "status":
      return trace.status;
    case "cost":
      return trace.totalCost;
    case "tokens":
      return trace.totalTokens;
    case "errors":
      return trace.facts?.spans.errors ?? null;
    default:
      return column satisfies never;
  }
};
