import type { RunCounts } from "./run.ts";

/**
 * Packed states of the (target, metric) pairs of a run slice. A pair has the index `target * metrics + metric`;
 * `missing` has one bit for each target that does not exist.
 */
export interface PairBits {
  readonly settled: Uint8Array;
  readonly failed: Uint8Array;
  readonly missing: Uint8Array;
  /** Pairs that the run does not evaluate: settled from the start and not counted. Empty if there are none. */
  readonly unwanted: Uint8Array;
}

const hasBit = (bits: Uint8Array, index: number): boolean => (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;

const setBit = (bits: Uint8Array, index: number): void => {
  bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
};

/**
 * Creates the pair states of targets that have not been evaluated yet.
 *
 * @param metricPositions for each target, the indices (in the run's list) of the metrics to evaluate; null for all
 * metrics.
 * @param metrics number of metrics of the run.
 */
export const newPairBits = (metricPositions: readonly (readonly number[] | null)[], metrics: number): PairBits => {
  const pairs = Math.ceil((metricPositions.length * metrics) / 8);
  const unwanted = new Uint8Array(metricPositions.every((positions) => positions === null) ? 0 : pairs);
  for (const [target, positions] of metricPositions.entries()) {
    if (positions === null) continue;
    for (let metric = 0; metric < metrics; metric += 1) {
      if (!positions.includes(metric)) setBit(unwanted, target * metrics + metric);
    }
  }
  const settled = new Uint8Array(pairs);
  settled.set(unwanted);
  return {
    settled,
    failed: new Uint8Array(pairs),
    missing: new Uint8Array(Math.ceil(metricPositions.length / 8)),
    unwanted,
  };
};

/** State of one (target, metric) pair of a run. */
export type PairState = "open" | "scored" | "failed" | "missing";

/** Returns the state of a pair; null if the run does not evaluate it. @param metrics number of metrics of the run. */
export const pairState = (bits: PairBits, metrics: number, pair: number): PairState | null => {
  if (hasBit(bits.unwanted, pair)) return null;
  if (!hasBit(bits.settled, pair)) return "open";
  if (!hasBit(bits.failed, pair)) return "scored";
  return hasBit(bits.missing, Math.floor(pair / metrics)) ? "missing" : "failed";
};

/** True if a pair has its final state. */
export const isSettled = (bits: PairBits, pair: number): boolean => hasBit(bits.settled, pair);

/** Returns the pair states after some pairs were settled. */
export const settlePairs = (
  bits: PairBits,
  metrics: number,
  pairs: readonly { readonly pair: number; readonly failed: boolean; readonly missing: boolean }[],
): PairBits => {
  const [settled, failed, missing] = [bits.settled.slice(), bits.failed.slice(), bits.missing.slice()];
  for (const entry of pairs) {
    setBit(settled, entry.pair);
    if (entry.failed) setBit(failed, entry.pair);
    if (entry.missing) setBit(missing, Math.floor(entry.pair / metrics));
  }
  return { settled, failed, missing, unwanted: bits.unwanted };
};

/** Counts targets and pairs by state. */
export const countBits = (bits: PairBits, targets: number, metrics: number): RunCounts => {
  const counts = { evaluated: 0, failed: 0, scored: 0, missing: 0, lost: 0 };
  for (let target = 0; target < targets; target += 1) {
    const isMissing = hasBit(bits.missing, target);
    let open = 0;
    for (let pair = target * metrics; pair < (target + 1) * metrics; pair += 1) {
      if (!hasBit(bits.settled, pair)) open += 1;
      else if (hasBit(bits.unwanted, pair)) continue;
      else if (!hasBit(bits.failed, pair)) counts.scored += 1;
      else {
        counts.failed += 1;
        if (isMissing) counts.lost += 1;
      }
    }
    if (open === 0) counts.evaluated += 1;
    if (isMissing) counts.missing += 1;
  }
  return counts;
};
