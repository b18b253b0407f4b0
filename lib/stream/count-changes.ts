import type { CountChange } from "../store/traces/counts.ts";
import type { RowChange } from "./row-change.ts";

/** Converts changes of trace rows to changes of the counters of traces. */
export const countChanges = (changes: readonly RowChange[]): readonly CountChange[] =>
  changes.flatMap(({ project, before, after, sequence }) => {
    if (before === after) return [];
    return [
      ...(before === null ? [] : [{ project, expiry: before, change: -1 as const, sequence }]),
      ...(after === null ? [] : [{ project, expiry: after, change: 1 as const, sequence }]),
    ];
  });
