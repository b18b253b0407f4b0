/** Seeded random generator: equal seeds produce equal sequences. */
export interface Random {
  /** A number from 0, inclusive, to 1, exclusive. */
  next(): number;
  /** An integer from 0, inclusive, to `below`, exclusive. */
  below(below: number): number;
  /** An integer from `low` to `high`, both inclusive. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** An independent generator for a part of a test, so that its draws do not affect those of other parts. */
  fork(label: string | number): Random;
}

const hashed = (seed: number, label: string | number): number => {
  let hash = seed ^ 0x9e3779b9;
  for (const unit of String(label)) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x85ebca6b) ^ (hash >>> 13);
  return hash >>> 0;
};

/** Creates a Mulberry32 generator; its 32 bits of state suffice for a test schedule. */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] ?? items[0],
    fork: (label) => seeded(hashed(seed, label)),
  };
};
