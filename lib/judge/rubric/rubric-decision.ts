import { decide, levelProbabilities, type Rubric, type StatementAnswer } from "../../domain/metrics/rubric.ts";
import { rounded } from "../../domain/scores/score.ts";
import type { DecisionForm, DecidedScore, MetricScore, Probabilities } from "../metric/metric.ts";

/** Probability at or above which a statement counts as true. */
export const decisionThreshold = 0.5;

/** Answer to a statement by its probability; a refused one cannot be told. */
export const answerOf = (probability: number | null): StatementAnswer => {
  if (probability === null) return "cannot_tell";
  return probability >= decisionThreshold ? "yes" : "no";
};

/** Name of a statement as words: `main_request` becomes "Main request". */
const wordsOf = (name: string): string => {
  const words = name.replaceAll(/[_.-]+/gu, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Lists statements with their probabilities: "Delivered 0.97; complete 0.12". */
export const probabilityList = (entries: readonly (readonly [name: string, probability: number | null])[]): string =>
  entries.map(([name, probability]) => `${wordsOf(name)} ${probability?.toFixed(2) ?? "refused"}`).join("; ");

/** Rounds a probability for the metadata of a score, but never from one side of the threshold to the other; null for a refusal. */
const roundedProbability = (probability: number | null): number | null => {
  const shown = probability === null ? null : rounded(probability);
  return answerOf(shown) === answerOf(probability) ? shown : probability;
};

/** Metadata of a score that a decision model gave: it cites nothing. */
export const withoutEvidence = { evidence: [], evidence_kind: "none" } as const;

/** Rounds probabilities by statement for the metadata of a score. */
export const roundedProbabilities = (
  probabilities: Readonly<Record<string, number | null>>,
): Record<string, number | null> =>
  Object.fromEntries(Object.entries(probabilities).map(([name, value]) => [name, roundedProbability(value)]));

/** The failure of a metric whose level depends on refused statements. */
export const refusedScore = (names: readonly string[], probabilities: Readonly<Record<string, number | null>>) =>
  ({
    value: null,
    code: "judge_refused",
    reason: `The judge refused statements on which the score depends: ${names.map((name) => `"${name}"`).join(", ")}.`,
    details: { probabilities: roundedProbabilities(probabilities), ...withoutEvidence },
  }) as const;

/**
 * Scores the probabilities of a rubric's statements: the rule selects a level from the statements at or above the threshold; its
 * probability is the confidence. No score if the level depends on refused statements.
 */
const decidedRubricScore = (rubric: Rubric, values: Probabilities): DecidedScore => {
  const entries = rubric.statements.map(({ name }, index) => [name, values[index] ?? null] as const);
  const probabilities = Object.fromEntries(entries);
  const answers = Object.fromEntries(entries.map(([name, probability]) => [name, answerOf(probability)]));
  const decision = decide(rubric, answers);
  if (decision.kind === "open") return refusedScore(decision.statements, probabilities);
  const { level, by: decisiveNames } = decision;
  const levels = levelProbabilities(rubric, probabilities);
  const confidence = rounded(levels.get(level.name) ?? 0);
  const expected = rubric.levels.reduce((sum, { name, value }) => sum + value * (levels.get(name) ?? 0), 0);
  const decisive = entries.filter(([name]) => decisiveNames.includes(name));
  const score: MetricScore = {
    value: level.value,
    ...(rubric.isNominal && { category: level.name }),
    reason: `${probabilityList(decisive)}. (${level.name}, with a probability of ${confidence.toFixed(2)}.)`,
    details: {
      level: level.name,
      confidence,
      ...(!rubric.isNominal && { expected_value: rounded(expected) }),
      probabilities: roundedProbabilities(probabilities),
      ...withoutEvidence,
    },
  };
  return score;
};

/** Returns how a decision model judges a rubric: each statement is a predicate. */
export const rubricDecision = (rubric: Rubric): DecisionForm => ({
  predicates: () => rubric.statements,
  score: (probabilities) => decidedRubricScore(rubric, probabilities),
});
