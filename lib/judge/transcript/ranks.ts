import { totalSize, type RenderedSpan } from "./section.ts";
import type { SpanVariation } from "./variation.ts";

/** Minimum calls of equal input and output of which some may be left out before any text is cut. */
const minRepetitions = 5;
/** Minimum characters of a run of repetitions that may be left out before any text is cut. */
const minSavedSize = 600;
/** Order in which spans are selected for a shortened transcript; 0 goes first. */
export const ranks = { essential: 0, odd: 1, failed: 2, notable: 3, ordinary: 4, repeated: 5 } as const;
const rankByPriority = [ranks.ordinary, ranks.notable, ranks.failed, ranks.essential] as const;

/** Computes the rank of each span: odd calls and their neighbours rise, middle calls of a repetition fall. */
export const ranksOf = (spans: readonly RenderedSpan[], variations: readonly SpanVariation[]): readonly number[] => {
  const result: number[] = spans.map(({ priority }) => rankByPriority[priority]);
  const classes = Map.groupBy(spans.keys(), (index) => variations[index]?.class);
  for (const indexes of classes.values()) {
    if (indexes.length < minRepetitions) continue;
    for (const index of indexes.slice(1, -1)) if (result[index] === ranks.ordinary) result[index] = ranks.repeated;
    for (const index of [indexes[0], indexes.at(-1)]) {
      if (index !== undefined) result[index] = Math.min(result[index] ?? 0, ranks.notable);
    }
  }
  const raise = (index: number, rank: number): void => {
    const current = result[index];
    if (current !== undefined && current > rank) result[index] = rank;
  };
  for (const [index, { oddness }] of variations.entries()) {
    if (oddness === 0) continue;
    raise(index, ranks.odd);
    for (const neighbour of [index - 1, index + 1]) raise(neighbour, ranks.notable);
  }
  // A line in place of a short run would save little and part calls from their context.
  let [from, size] = [0, 0];
  for (const [index, span] of spans.entries()) {
    if (result[index] === ranks.repeated) {
      size += totalSize(span.sections);
      if (result[index + 1] === ranks.repeated) continue;
      if (size < minSavedSize) result.fill(ranks.ordinary, from, index + 1);
    }
    [from, size] = [index + 1, 0];
  }
  return result;
};
