import type { RunCounts } from "./run.ts";

/**
 * What has become of a slice, packed: two bits for every (target, metric) pair, `target * metrics + metric`, and one for
 * every target that was not there.
 */
export interface PairBits {
  readonly settled: Uint8Array;
  readonly failed: Uint8Array;
  readonly missing: Uint8Array;
}

export const emptyBits = (targets: number, metrics: number): PairBits => ({
  settled: new Uint8Array(Math.ceil((targets * metrics) / 8)),
  failed: new Uint8Array(Math.ceil((targets * metrics) / 8)),
  missing: new Uint8Array(Math.ceil(targets / 8)),
});

const has = (bits: Uint8Array, index: number): boolean => (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;

const set = (bits: Uint8Array, index: number): void => {
  bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
};

export const isSettled = (bits: PairBits, pair: number): boolean => has(bits.settled, pair);

/** The bits after some pairs were settled. */
export const settle = (
  bits: PairBits,
  metrics: number,
  pairs: readonly { readonly pair: number; readonly failed: boolean; readonly missing: boolean }[],
): PairBits => {
  const [settled, failed, missing] = [bits.settled.slice(), bits.failed.slice(), bits.missing.slice()];
  for (const entry of pairs) {
    set(settled, entry.pair);
    if (entry.failed) set(failed, entry.pair);
    if (entry.missing) set(missing, Math.floor(entry.pair / metrics));
  }
  return { settled, failed, missing };
};

/** Counts what the bits say. */
export const countBits = (bits: PairBits, targets: number, metrics: number): RunCounts => {
  const counts = { evaluated: 0, failed: 0, scored: 0, missing: 0 };
  for (let target = 0; target < targets; target += 1) {
    let open = 0;
    for (let pair = target * metrics; pair < (target + 1) * metrics; pair += 1) {
      if (!has(bits.settled, pair)) open += 1;
      else if (has(bits.failed, pair)) counts.failed += 1;
      else counts.scored += 1;
    }
    if (open === 0) counts.evaluated += 1;
    if (has(bits.missing, target)) counts.missing += 1;
  }
  return counts;
};
