import type { Write } from "../../dynamo/items.ts";
import type { Settled } from "./settled-pairs.ts";

/** DynamoDB's limit of actions per transaction, minus those of the slice, the run, and two totals of the month's cost. */
export const maxCommitActions = 96;

/** Those of a slice whose verdicts wait for a second judge: the rest of a transaction removes such items. */
export const maxCascadeActions = 64;

/** Bytes of items that one action may have on average: a transaction has 4 MB. */
const bytesPerAction = 40_000;

const actionsOf = (write: Write): number => {
  const packed = "put" in write ? write.put["d"] : null;
  return packed instanceof Uint8Array ? Math.ceil(packed.byteLength / bytesPerAction) : 1;
};

/**
 * Counts the actions that settled pairs add to a commit: two items for each score, a check of each scored target, and items of
 * verdicts that wait, large ones as several.
 */
export const commitActions = (settled: readonly Settled[]): number => {
  const scores = settled.flatMap(({ checkedScore }) => checkedScore ?? []);
  const writes = settled.flatMap((each) => (each.kind === "held" ? each.writes : []));
  const heldActions = writes.reduce((sum, write) => sum + actionsOf(write), 0);
  return 2 * scores.length + new Set(scores.map(({ check }) => check.traceId)).size + heldActions;
};
