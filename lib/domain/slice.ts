import { countBits, type PairBits } from "./pair-bits.ts";
import type { RunCounts } from "./run.ts";

/** The part of a run that one worker does at a time: whole targets, with what has become of each pair. */
export interface Slice {
  readonly runId: string;
  readonly projectId: string;
  /** Names the attempt at creating the run that made this slice, and its number from 0. */
  readonly id: string;
  readonly targets: readonly string[];
  readonly bits: PairBits;
  /** Why one of its judgements failed, in words for a user. */
  readonly example: string | null;
  readonly state: "open" | "done";
}

const pairsPerSlice = 50;
const maxSlices = 1_000;

/** Cuts a run's targets into slices of 50 pairs, or more as the run is larger. */
export const cutSlices = (targets: readonly string[], metrics: number): readonly (readonly string[])[] => {
  const size = Math.max(Math.ceil(pairsPerSlice / metrics), Math.ceil(targets.length / maxSlices));
  const slices: (readonly string[])[] = [];
  for (let start = 0; start < targets.length; start += size) slices.push(targets.slice(start, start + size));
  return slices;
};

export const countSlice = (slice: Pick<Slice, "bits" | "targets">, metrics: number): RunCounts =>
  countBits(slice.bits, slice.targets.length, metrics);
