import type { Correction } from "../../domain/labels/correction.ts";
import { verdictsOfTraces, type ItemTrace } from "../../domain/experiments/items.ts";
import type { AddCorrection } from "../labels/corrections.ts";

/** Traces of both sides with their values of one metric. */
export interface MetricSides {
  /** Null without a baseline. */
  readonly baseline: readonly ItemTrace[] | null;
  readonly candidate: readonly ItemTrace[];
}

/** Corrected pass rates of both sides of a metric, if they are asked for. */
interface CorrectedSides {
  readonly corrected?: { readonly baseline: Correction | null; readonly candidate: Correction };
}

/** Adds the corrected pass rates of both sides to what is said of a metric. */
export const correctedSides = (
  correct: AddCorrection,
  name: string,
  { baseline, candidate: traces }: MetricSides,
): CorrectedSides => {
  const { corrected: candidate } = correct(name, verdictsOfTraces(traces));
  if (candidate === undefined) return {};
  const before = baseline === null ? null : correct(name, verdictsOfTraces(baseline)).corrected;
  return { corrected: { baseline: before ?? null, candidate } };
};
