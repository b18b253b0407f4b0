import type { ComparedScores } from "../../client/interface.ts";

/** A figure with its 95 % interval. */
export type BoundedFigure = Pick<ComparedScores["cost"], "value" | "interval">;

/**
 * Verdict on a figure of which a smaller value is better, by the 95 % interval of the difference: its distances from the difference are
 * those of both sides' intervals, squared and added (Newcombe's method, also called MOVER).
 */
export const figureVerdict = (before: BoundedFigure, after: BoundedFigure): string => {
  const { value: one, interval: ofOne } = before;
  const { value: other, interval: ofOther } = after;
  if (one === null || other === null || ofOne === null || ofOther === null) return "cannot tell";
  const difference = other - one;
  if (difference - Math.hypot(other - ofOther.lower, ofOne.upper - one) > 0) return "worse";
  return difference + Math.hypot(ofOther.upper - other, one - ofOne.lower) < 0 ? "better" : "no difference shown";
};

/** Returns two sides in the order of their first starts (ISO 8601), as baseline and candidate. */
export const olderFirst = <Side>(
  [one, other]: readonly [Side, Side],
  [first, second]: readonly [string, string],
): readonly [baseline: Side, candidate: Side] => (first <= second ? [one, other] : [other, one]);
