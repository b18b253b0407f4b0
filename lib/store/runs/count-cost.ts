import { microsUp, type Micros } from "../../domain/runs/budget.ts";
import { chargedOf, type JudgeUsage } from "../../domain/runs/run.ts";
import type { Write } from "../../dynamo/items.ts";
import { settledCostWrites } from "../spend/settled-cost.ts";
import type { StoredRun } from "./codec.ts";
import type { StoredSlice } from "./slice-codec.ts";

/** Fields of a run that decide whether and for whom its cost is counted. */
export type CountedRun = Pick<StoredRun, "counted" | "origin">;

/**
 * Returns the micro-dollars of a slice that are in the month's totals after the writes, and the writes that add what is missing there. They
 * belong to the transaction that stores `counted` with the slice, so that each cost is counted once. A run that an earlier build
 * created is not counted.
 *
 * @param isErased true if the project is being erased, so that only its organization's total may change.
 */
export const countCost = (
  { counted, origin }: CountedRun,
  { slice: { projectId }, counted: countedBefore }: StoredSlice,
  usage: JudgeUsage,
  at: number,
  isErased = false,
): { readonly counted: Micros; readonly writes: readonly Write[] } => {
  const missing = counted === null ? 0 : Math.max(0, microsUp(chargedOf(usage)) - countedBefore);
  const owner = { project: isErased ? "" : projectId, organization: origin.organization_id ?? null };
  return { counted: countedBefore + missing, writes: settledCostWrites(owner, missing, at) };
};
