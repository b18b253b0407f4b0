import type { JudgeUsage } from "./judge-usage.ts";
import { countBits, type PairBits } from "./pair-bits.ts";
import type { RunCounts, RunOrder } from "./run.ts";

/** The part of a run that one worker does at a time: whole targets, with what has become of each pair. */
export interface Slice {
  readonly runId: string;
  readonly projectId: string;
  /** Names the attempt at creating the run that made this slice, and its number from 0. */
  readonly id: string;
  readonly targets: readonly string[];
  /** Traces each session was seen to have when the run was made; empty for traces. */
  readonly traces: readonly number[];
  readonly bits: PairBits;
  /** Why one of its judgements failed, in words for a user. */
  readonly example: string | null;
  readonly usage: JudgeUsage;
  /** Whether pairs of it were given up without a score; undefined: nobody has noted it. */
  readonly scoreless?: boolean | undefined;
  /** `void`: its run was deleted. */
  readonly state: "open" | "done" | "void";
}

const pairsPerSlice = 50;
const maxSlices = 1_000;

/**
 * How many targets of a run are in one slice: 50 pairs, or more as the run is larger; a session, which is many
 * judgements by itself, has a slice of its own as long as there are slices.
 */
export const targetsPerSlice = ({
  total,
  metrics,
  targetType,
}: Pick<RunOrder, "total" | "metrics" | "targetType">): number =>
  Math.max(targetType === "SESSION" ? 1 : Math.ceil(pairsPerSlice / metrics.length), Math.ceil(total / maxSlices));

/** Cuts a run's targets into slices. */
export const cutSlices = <Target>(
  targets: readonly Target[],
  order: Pick<RunOrder, "metrics" | "targetType">,
): readonly (readonly Target[])[] => {
  const size = targetsPerSlice({ ...order, total: targets.length });
  const slices: (readonly Target[])[] = [];
  for (let start = 0; start < targets.length; start += size) slices.push(targets.slice(start, start + size));
  return slices;
};

export const countSlice = (slice: Pick<Slice, "bits" | "targets">, metrics: number): RunCounts =>
  countBits(slice.bits, slice.targets.length, metrics);
