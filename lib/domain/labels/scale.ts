import type { ScoreDataType } from "../scores/score.ts";
import { normalizeValue, scoreValueFlaw } from "../scores/value.ts";

/** Values that labels of a metric can have. Fields that the data type does not have are null or empty. */
export interface LabelScale {
  readonly data_type: ScoreDataType;
  readonly min: number | null;
  readonly max: number | null;
  /** Least number that passes; null if none does. */
  readonly threshold: number | null;
  /** Levels of a custom metric, from the best: names of some of the numbers. */
  readonly levels: readonly { readonly label: string; readonly value: number }[];
  readonly categories: readonly string[];
  /** Categories that pass; empty if they are only counted. */
  readonly passing: readonly string[];
}

/** Text of a label that says that nobody can tell the value. */
export const cannotTell = "cannot_tell";

/** Returns why a label does not fit a scale; null if it fits. */
export const labelFlaw = ({ data_type: type, min, max, categories }: LabelScale, value: string): string | null => {
  const flaw = scoreValueFlaw(type, value);
  if (flaw !== null) return flaw;
  if (type === "CATEGORICAL")
    return categories.includes(value) ? null : `Label should be one of ${categories.join(", ")}, or ${cannotTell}`;
  const number = Number(value);
  const isWithin = type === "BOOLEAN" || (number >= (min ?? -Infinity) && number <= (max ?? Infinity));
  return isWithin ? null : `Label should be a number from ${min} to ${max}, or ${cannotTell}`;
};

/** Returns the stored form of a label. */
export const normalizedLabel = (scale: LabelScale, value: string): string => normalizeValue(scale.data_type, value);

/** True if a value passes on a scale; null if the scale says of no value that it does. */
export const labelPasses = ({ data_type: type, threshold, passing }: LabelScale, value: string): boolean | null => {
  if (type === "BOOLEAN") return value === "true";
  if (type === "CATEGORICAL") return passing.length === 0 ? null : passing.includes(value);
  return threshold === null ? null : Number(value) >= threshold;
};
