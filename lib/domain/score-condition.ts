import { decimalPattern } from "./decimal-pattern.ts";
import type { Instant } from "./instant.ts";

/** The fields of the newest score of a trace or session that score filters compare. */
export interface ComparableScore {
  readonly value: string | null;
  /** The value as a number; null if it is not numeric or the metric does not apply. */
  readonly number: number | null;
  readonly applicable: boolean | null;
  readonly updated_at: Instant;
}

/** Newest successful scores by name. */
export type ScoresByName = ReadonlyMap<string, ComparableScore>;

const comparisons = {
  "<=": (value: number, bound: number) => value <= bound,
  ">=": (value: number, bound: number) => value >= bound,
  "<": (value: number, bound: number) => value < bound,
  ">": (value: number, bound: number) => value > bound,
} as const;

type Comparison = keyof typeof comparisons;

const decimal = `[+-]?${decimalPattern}`;

/** Names in conditions cannot contain a character of an operator. */
const [nameForm, numeric, textual] = ["[^<>=!]+", "[<>]=?", "!?="];

/** Regular expression source of a score condition. */
export const scoreConditionPattern = `^${nameForm}(?:${numeric}${decimal}|${textual}[\\s\\S]*)$`;

const [conditionPattern, numberPattern, conditionParts] = [
  new RegExp(scoreConditionPattern, "u"),
  new RegExp(`^${decimal}$`, "u"),
  new RegExp(`^(?<name>${nameForm})(?<operator>${numeric}|${textual})(?<value>[\\s\\S]*)$`, "u"),
];

/** A parsed score condition: `<name><operator><value>`. */
interface ScoreCondition {
  readonly name: string;
  readonly holds: (score: ComparableScore) => boolean;
}

const isComparison = (operator: string): operator is Comparison => Object.hasOwn(comparisons, operator);

/**
 * Parses a condition such as `task_completion<0.5` or `helpful=true`. Numbers are compared as numbers, other values
 * only for equality. A score that does not apply matches no condition.
 *
 * @returns null if the text is malformed.
 */
const parseScoreCondition = (text: string): ScoreCondition | null => {
  if (!conditionPattern.test(text)) return null;
  const { name = "", operator = "", value = "" } = conditionParts.exec(text)?.groups ?? {};
  const number = numberPattern.test(value) ? Number(value) : null;
  if (isComparison(operator)) {
    const compare = comparisons[operator];
    return { name, holds: (score) => score.number !== null && number !== null && compare(score.number, number) };
  }
  const equals = (score: ComparableScore): boolean =>
    number !== null && score.number !== null ? score.number === number : score.value === value;
  const isEquality = operator === "=";
  return { name, holds: (score) => score.applicable !== false && score.value !== null && equals(score) === isEquality };
};

/** Filters of traces or sessions by their newest scores. */
export interface ScoreFilters {
  /** Conditions that must all hold. @see parseScoreCondition */
  readonly score?: readonly string[] | undefined;
  /** Score names; matching targets have no successful score under any of these names. */
  readonly no_score?: readonly string[] | undefined;
}

/** Compiled score filters. */
export interface ScoreTest {
  /** Names of the scores that the test reads. */
  readonly names: readonly string[];
  readonly matches: (scores: ScoresByName) => boolean;
}

/** Compiles score filters; null if there are none. @param extraNames names of further scores to read. */
export const scoreTest = (
  { score = [], no_score: absentNames = [] }: ScoreFilters,
  extraNames: readonly string[] = [],
): ScoreTest | null => {
  const conditions = score.map((text) => parseScoreCondition(text) ?? { name: text, holds: () => false });
  const names = [...new Set([...conditions.map(({ name }) => name), ...absentNames, ...extraNames])];
  if (names.length === 0) return null;
  const holds = (scores: ScoresByName, condition: ScoreCondition): boolean => {
    const score = scores.get(condition.name);
    return score !== undefined && condition.holds(score);
  };
  return {
    names,
    matches: (scores) =>
      conditions.every((condition) => holds(scores, condition)) && absentNames.every((name) => !scores.has(name)),
  };
};
