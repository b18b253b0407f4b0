import { comparedItems, type ComparedItem } from "../../domain/experiments/items.ts";
import { applyRule, type RuleOutcome } from "../../domain/experiments/rules.ts";
import type { MetricSides } from "./corrected-sides.ts";
import { measured, unjudged, type ExperimentReader, type ReadExperiment } from "./read.ts";

/** Largest drop of a metric that does not count as worse unless a request names another one. */
export const defaultMaxDrop = 0.05;

/** Two experiments with what a comparison says of each metric, in the order of their names. */
interface ComparedExperiments {
  readonly metrics: readonly { readonly name: string; readonly outcome: RuleOutcome; readonly sides: MetricSides }[];
  /** Pairs the items of both by what was measured. */
  readonly measuredPairs: (measure: "cost" | "latency") => readonly ComparedItem[];
}

/**
 * Compares two experiments item by item.
 *
 * @param names metrics to compare; null for all that a side has.
 */
export const compareRead = async (
  reader: ExperimentReader,
  baseline: ReadExperiment,
  candidate: ReadExperiment,
  names: readonly string[] | null,
  maxDrop: number,
): Promise<ComparedExperiments> => {
  const valuesOf = ({ experiment, traces }: ReadExperiment) => reader.values(experiment.projectId, traces, names);
  const [before, after, expected] = await Promise.all([
    valuesOf(baseline),
    valuesOf(candidate),
    reader.expectedItems(candidate.experiment),
  ]);
  const all = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return {
    metrics: all.map((name) => {
      const sides = {
        baseline: before.get(name) ?? unjudged(baseline.traces),
        candidate: after.get(name) ?? unjudged(candidate.traces),
      };
      const items = comparedItems(sides.baseline, sides.candidate, expected);
      return { name, outcome: applyRule("max_drop", maxDrop, items), sides };
    }),
    measuredPairs: (measure) =>
      comparedItems(measured(baseline.traces, measure), measured(candidate.traces, measure), expected),
  };
};
