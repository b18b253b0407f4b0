import { textRules } from "./text-warnings.ts";

/** Rules of the linter for custom metrics; the names are stable. */
export const lintRules = [
  ...textRules,
  "length",
  "question",
  "two_questions",
  "unreachable",
  "repeated",
  "example",
  "polarity",
  "threshold",
  "unknown_score",
  "score_without_number",
  "language",
  "decision_model",
  "expectation",
] as const;

/** A lint warning about a custom metric. Warnings never reject a metric. */
export interface LintWarning {
  /** Path of the examined field in the request. */
  readonly field: readonly (string | number)[];
  readonly rule: (typeof lintRules)[number];
  /** Recommendation in a sentence or two. */
  readonly message: string;
}

/** A text of a metric with its path. */
export type LocatedText = readonly [field: LintWarning["field"], text: string];

/** The fields of a judge metric that the linter examines. */
export interface LintedMetric {
  readonly description: string;
  readonly instructions: string;
  /** Levels of the metric; empty for the scale of yes and no. */
  readonly scale: readonly { readonly label: string; readonly meaning: string }[];
  readonly statements: readonly { readonly text: string }[];
  readonly threshold: number;
  readonly evidence: readonly string[];
  readonly examples: readonly unknown[];
}
