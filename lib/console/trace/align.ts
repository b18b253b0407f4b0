import type { SpanNode } from "./span-tree.ts";

/** A step of two traces; null on the side that has none like it. */
export interface StepPair {
  readonly base: SpanNode | null;
  readonly other: SpanNode | null;
}

/** Max cells of the table that finds the longest common subsequence. */
const maxCells = 4_000_000;

const keyOf = ({ span }: SpanNode): string => `${span.kind} ${span.name}`;

type Indexes = readonly (readonly [base: number, other: number])[];

/** Returns the index pairs of a longest common subsequence, in order. */
const longestCommon = (base: readonly string[], other: readonly string[]): Indexes => {
  const width = other.length + 1;
  // Length of the longest common subsequence of the rests from each pair of indexes.
  const lengths = new Uint16Array((base.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = base.length - 1; row >= 0; row -= 1)
    for (let column = other.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        base[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const pairs: [number, number][] = [];
  let [row, column] = [0, 0];
  while (row < base.length && column < other.length) {
    if (base[row] === other[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
};

/** Returns index pairs of equal keys, each with the next one of the other trace after the previous pair: not the most pairs, but in linear time. */
const nextCommon = (base: readonly string[], other: readonly string[]): Indexes => {
  const places = Map.groupBy(other.keys(), (index) => other[index]);
  const pairs: [number, number][] = [];
  let last = -1;
  for (const [index, key] of base.entries()) {
    const candidates = places.get(key) ?? [];
    while (candidates.length > 0 && (candidates[0] ?? 0) <= last) candidates.shift();
    const [next] = candidates;
    // A pair far ahead would leave all steps between it and the previous pair without one.
    if (next === undefined || next - last > 200) continue;
    pairs.push([index, next]);
    last = next;
  }
  return pairs;
};

/**
 * Aligns the steps of two traces by kind and name: the most pairs in the order of both traces, steps of one side between them.
 * Traces of which both have more than 2,000 different steps are aligned in linear time with fewer pairs.
 */
export const alignSteps = (base: readonly SpanNode[], other: readonly SpanNode[]): readonly StepPair[] => {
  const [baseKeys, otherKeys] = [base.map(keyOf), other.map(keyOf)];
  let start = 0;
  const shorter = Math.min(base.length, other.length);
  while (start < shorter && baseKeys[start] === otherKeys[start]) start += 1;
  let ending = 0;
  while (ending < shorter - start && baseKeys.at(-1 - ending) === otherKeys.at(-1 - ending)) ending += 1;
  const [baseRest, otherRest] = [
    baseKeys.slice(start, base.length - ending),
    otherKeys.slice(start, other.length - ending),
  ];
  const isSmall = (baseRest.length + 1) * (otherRest.length + 1) <= maxCells;
  const middle = (isSmall ? longestCommon : nextCommon)(baseRest, otherRest);
  const indexes: Indexes = [
    ...Array.from({ length: start }, (_, index) => [index, index] as const),
    ...middle.map(([row, column]) => [row + start, column + start] as const),
    ...Array.from(
      { length: ending },
      (_, index) => [base.length - ending + index, other.length - ending + index] as const,
    ),
  ];
  const pairs: StepPair[] = [];
  let [nextBase, nextOther] = [0, 0];
  for (const [baseIndex, otherIndex] of [...indexes, [base.length, other.length] as const]) {
    pairs.push(...base.slice(nextBase, baseIndex).map((node) => ({ base: node, other: null })));
    pairs.push(...other.slice(nextOther, otherIndex).map((node) => ({ base: null, other: node })));
    const [baseNode, otherNode] = [base[baseIndex], other[otherIndex]];
    if (baseNode !== undefined && otherNode !== undefined) pairs.push({ base: baseNode, other: otherNode });
    [nextBase, nextOther] = [baseIndex + 1, otherIndex + 1];
  }
  return pairs;
};
