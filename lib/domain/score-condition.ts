import { decimalPattern } from "./decimal-pattern.ts";
import type { Instant } from "./instant.ts";

/** The fields of the newest score of a trace or session that score filters compare. */
export interface ComparableScore {
  readonly value: string | null;
  /** The score's number, see `scoreNumber`; null if it has none. */
  readonly number: number | null;
  readonly applicable: boolean | null;
  /** Version of the custom metric that gave the score; null for other scores, and if it was not recorded. */
  readonly metric_version: number | null;
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

/** Matches a name with the version of a custom metric. */
const versioned = /^(?<base>.+)@(?<version>[1-9]\d{0,5})$/u;

/** Returns the names under which the newest score of `name` or `name@version` is stored: a client's score may be named so. */
const storedNames = (name: string): readonly string[] => {
  const base = versioned.exec(name)?.groups?.["base"];
  return base === undefined ? [name] : [name, base];
};

/** Returns the newest score of `name`, or of `name@version` if that version of a custom metric gave it. */
const newestScore = (scores: ScoresByName, name: string): ComparableScore | undefined => {
  const { base = "", version } = versioned.exec(name)?.groups ?? {};
  const score = scores.get(name);
  if (score !== undefined || version === undefined) return score;
  const ofMetric = scores.get(base);
  return ofMetric?.metric_version === Number(version) ? ofMetric : undefined;
};

/** Filters of traces or sessions by their newest scores. */
export interface NewestScoreFilters {
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
  { score = [], no_score: absentNames = [] }: NewestScoreFilters,
  extraNames: readonly string[] = [],
): ScoreTest | null => {
  const conditions = score.map((text) => parseScoreCondition(text) ?? { name: text, holds: () => false });
  const filterNames = [...conditions.map(({ name }) => name), ...absentNames].flatMap(storedNames);
  const names = [...new Set([...filterNames, ...extraNames])];
  if (names.length === 0) return null;
  const holds = (scores: ScoresByName, condition: ScoreCondition): boolean => {
    const score = newestScore(scores, condition.name);
    return score !== undefined && condition.holds(score);
  };
  return {
    names,
    matches: (scores) =>
      conditions.every((condition) => holds(scores, condition)) &&
      absentNames.every((name) => newestScore(scores, name) === undefined),
  };
};
