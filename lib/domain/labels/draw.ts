import { shuffled } from "../shuffled.ts";
import type { LabelSetSettings } from "./label-set.ts";

/** A trace that can be drawn, with its newest score under the name that the draw is by. */
export interface Candidate {
  readonly traceId: string;
  readonly number: number | null;
  readonly passed: boolean | null;
  /** Probability of a decision model's verdict. */
  readonly confidence: number | null;
}

/** Takes items of two lists in turns, then the rest of the longer one. */
const alternating = <Item>(first: readonly Item[], second: readonly Item[]): readonly Item[] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [first[at], second[at]])
    .flat()
    .flatMap((item) => item ?? []);

const ascending = (candidates: readonly Candidate[], by: "number" | "confidence"): readonly Candidate[] =>
  candidates.filter((each) => each[by] !== null).toSorted((a, b) => Number(a[by]) - Number(b[by]));

/**
 * Returns all candidates that a draw can take, in its order; those without the score that it needs are left out. Equal ones are in random
 * order.
 */
export const drawOrder = (draw: LabelSetSettings["draw"], candidates: readonly Candidate[]): readonly Candidate[] => {
  const inRandomOrder = shuffled(candidates);
  switch (draw) {
    case "random":
      return inRandomOrder;
    case "stratified":
      return alternating(
        inRandomOrder.filter(({ passed }) => passed === true),
        inRandomOrder.filter(({ passed }) => passed === false),
      );
    case "uncertain":
      return ascending(inRandomOrder, "confidence");
    case "lowest":
      return ascending(inRandomOrder, "number");
    default:
      return draw satisfies never;
  }
};
