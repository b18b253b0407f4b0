import type { RunCounts } from "./run.ts";

/**
 * What has become of a slice, packed: two bits for every (target, metric) pair, `target * metrics + metric`, and one for
 * every target that was not there.
 */
export interface PairBits {
  readonly settled: Uint8Array;
  readonly failed: Uint8Array;
  readonly missing: Uint8Array;
  /** Pairs that the run was not asked for: settled from the start, and in no count. Empty when there are none. */
  readonly unwanted: Uint8Array;
}

const has = (bits: Uint8Array, index: number): boolean => (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;

const set = (bits: Uint8Array, index: number): void => {
  bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
};

/**
 * The bits of targets nobody has looked at.
 *
 * @param wanted for each target the positions of its metrics; null: all of them.
 */
export const newBits = (wanted: readonly (readonly number[] | null)[], metrics: number): PairBits => {
  const pairs = Math.ceil((wanted.length * metrics) / 8);
  const unwanted = new Uint8Array(wanted.every((chosen) => chosen === null) ? 0 : pairs);
  for (const [target, chosen] of wanted.entries()) {
    if (chosen === null) continue;
    for (let metric = 0; metric < metrics; metric += 1) {
      if (!chosen.includes(metric)) set(unwanted, target * metrics + metric);
    }
  }
  const settled = new Uint8Array(pairs);
  settled.set(unwanted);
  return { settled, failed: new Uint8Array(pairs), missing: new Uint8Array(Math.ceil(wanted.length / 8)), unwanted };
};

/** What became of one pair; null: the run was not asked for it. */
export type PairState = "open" | "scored" | "failed" | "missing";

/** @param metrics how many metrics the run has. */
export const pairState = (bits: PairBits, metrics: number, pair: number): PairState | null => {
  if (has(bits.unwanted, pair)) return null;
  if (!has(bits.settled, pair)) return "open";
  if (!has(bits.failed, pair)) return "scored";
  return has(bits.missing, Math.floor(pair / metrics)) ? "missing" : "failed";
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
  return { settled, failed, missing, unwanted: bits.unwanted };
};

/** Counts what the bits say. */
export const countBits = (bits: PairBits, targets: number, metrics: number): RunCounts => {
  const counts = { evaluated: 0, failed: 0, scored: 0, missing: 0, lost: 0 };
  for (let target = 0; target < targets; target += 1) {
    const gone = has(bits.missing, target);
    let open = 0;
    for (let pair = target * metrics; pair < (target + 1) * metrics; pair += 1) {
      if (!has(bits.settled, pair)) open += 1;
      else if (has(bits.unwanted, pair)) continue;
      else if (!has(bits.failed, pair)) counts.scored += 1;
      else {
        counts.failed += 1;
        if (gone) counts.lost += 1;
      }
    }
    if (open === 0) counts.evaluated += 1;
    if (gone) counts.missing += 1;
  }
  return counts;
};
