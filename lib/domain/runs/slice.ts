import type { JudgeUsage, RunCounts, RunOrder } from "./run.ts";
import { countBits, type PairBits } from "./pair-bits.ts";

/** The part of a run that one worker processes at a time: whole targets with the state of each pair. */
export interface Slice {
  readonly runId: string;
  readonly projectId: string;
  /** Id of the slice in its run: `<id of the attempt to create the run>#<slice number from 0>`. */
  readonly id: string;
  readonly targets: readonly string[];
  /** For a session run, the number of traces of each target when the run was created; else empty. */
  readonly traces: readonly number[];
  readonly bits: PairBits;
  /** Reason of one failed judgement, for the user. */
  readonly example: string | null;
  readonly usage: JudgeUsage;
  /** True if judging was given up for some pairs without storing a score; undefined if not recorded. */
  readonly scoreless?: boolean | undefined;
  /** State of the slice; `void` if the run was deleted. */
  readonly state: "open" | "done" | "void";
}

const pairsPerSlice = 50;
const maxSlices = 1_000;

/**
 * Computes the number of targets in a run slice: enough for 50 (target, metric) pairs, or a single session; more if the
 * run would otherwise have over 1,000 slices.
 */
export const targetsPerSlice = ({
  total,
  metrics,
  targetType,
}: Pick<RunOrder, "total" | "metrics" | "targetType">): number =>
  Math.max(targetType === "SESSION" ? 1 : Math.ceil(pairsPerSlice / metrics.length), Math.ceil(total / maxSlices));

/** Splits the targets of a run into slices. */
export const cutSlices = <Target>(
  targets: readonly Target[],
  order: Pick<RunOrder, "metrics" | "targetType">,
): readonly (readonly Target[])[] => {
  const size = targetsPerSlice({ ...order, total: targets.length });
  const slices: (readonly Target[])[] = [];
  for (let start = 0; start < targets.length; start += size) slices.push(targets.slice(start, start + size));
  return slices;
};

/** Counts the targets and pairs of a slice by state. */
export const countsOfSlice = (slice: Pick<Slice, "bits" | "targets">, metrics: number): RunCounts =>
  countBits(slice.bits, slice.targets.length, metrics);
