import { readAggregate, shareBound } from "../aggregate.ts";
import type { CustomMetricDefinition } from "../custom/definition.ts";
import type { Level } from "../rubric.ts";
import type { LintWarning } from "./lint-warning.ts";

const nothingFails = (threshold: number, lowest: number): LintWarning => ({
  field: ["threshold"],
  rule: "threshold",
  message: `Nothing can fail: the lowest score is ${lowest}, and ${threshold} or more is a success. Raise the threshold above ${lowest}.`,
});

/** Warns about a threshold that the score of no level reaches, or that of every level. */
export const levelThresholdWarnings = (threshold: number, levels: readonly Level[]): readonly LintWarning[] => {
  const values = levels.map(({ value }) => value);
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  // Levels of one value have a warning of their own.
  if (lowest >= highest) return [];
  if (lowest >= threshold) return [nothingFails(threshold, lowest)];
  if (highest >= threshold) return [];
  const message = `Nothing can pass: the highest score is ${highest}, and ${threshold} or more is a success. Lower the threshold to ${highest}.`;
  return [{ field: ["threshold"], rule: "threshold", message }];
};

/** Warns about a threshold of a check or an aggregate that every score reaches. */
export const computedThresholdWarnings = (definition: CustomMetricDefinition): readonly LintWarning[] => {
  const { kind, threshold } = definition;
  if (kind === "judge") return [];
  if (threshold <= 0) return [nothingFails(threshold, 0)];
  const fold = kind === "fold" ? readAggregate(definition.fold, () => {}) : null;
  if (fold === null || shareBound(fold) !== 0) return [];
  const message = "Nothing can fail: no score is below 0. Raise the bound of the share.";
  return [{ field: ["fold", fold.below === null ? "at_least" : "below"], rule: "threshold", message }];
};
