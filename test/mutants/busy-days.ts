import type { Mutant } from "./mutant.ts";

const [writer, mergedRows] = ["lib/store/traces/writer.ts", "lib/store/traces/merged-rows.ts"];

/** Removed safeguards: description, file, and a text with its replacement. */
const guards: readonly (readonly [without: string, file: string, from: string, to: string])[] = [
  [
    "listing a day as busy when its partition refuses a row",
    writer,
    "await days.add(project, dayOf(row.startedAt), true);",
    "",
  ],
  [
    "waiting for the next page of a busy day's partition before later rows of others are listed",
    mergedRows,
    "bound === undefined ? -1",
    "bound === undefined || limit > 0 ? -1",
  ],
  [
    "the share that a page reads of each partition of a busy day",
    mergedRows,
    "Math.ceil(limit / readers.length)",
    "limit",
  ],
  [
    "listing the partitions of the busy day to which a row moves",
    writer,
    "dayOf(startedAt), partitionIn(incarnation) > 0)",
    "dayOf(startedAt))",
  ],
  [
    "the partition of a busy day in a score, by which its trace's row is found",
    "lib/store/scores/grounds-codec.ts",
    "p: target.partition === 0 ? undefined : target.partition,",
    "",
  ],
  [
    "what further partitions of a busy day have of the hours that a range of analytics cuts",
    "lib/store/hours/figures.ts",
    "if (partition !== 0) yield",
    "if (partition < 0) yield",
  ],
  [
    "looking for rows in all partitions of a busy day before it leaves a deleted project's days",
    "lib/store/garbage/erase.ts",
    "firstRows.every(",
    "firstRows.slice(0, 1).every(",
  ],
];

/** Mutants of days whose rows are spread over several partitions. */
export const busyDays: readonly Mutant[] = guards.map(([without, file, from, to]) => ({
  without,
  file,
  changes: [[from, to]],
  caughtBy: ["test/store/traces/busy-days.test.ts"],
}));
