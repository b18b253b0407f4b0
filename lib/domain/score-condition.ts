import { decimalPattern } from "./decimal-pattern.ts";
import type { Instant } from "./instant.ts";
import { escapedNamePattern, unescapeScoreName } from "./score-name.ts";

/** The fields of the newest score of a trace or session that score filters compare. */
export interface ComparableScore {
  readonly value: string | null;
  /** The score's number, see `scoreNumber`; null if it has none. */
  readonly number: number | null;
  readonly applicable: boolean | null;
  /** Version of the custom metric that gave the score; null for other scores, and if it was not recorded. */
  readonly metric_version: number | null;
  readonly updated_at: Instant;
  readonly id?: string;
  /** True if the score reaches the threshold of its metric; null if it has none. */
  readonly passed?: boolean | null;
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

const [numeric, textual] = ["[<>]=?", "!?="];

/** Regular expression source of a score condition. */
export const scoreConditionPattern = `^${escapedNamePattern}(?:${numeric}${decimal}|${textual}[\\s\\S]*)$`;

const [conditionPattern, numberPattern, conditionParts] = [
  new RegExp(scoreConditionPattern, "u"),
  new RegExp(`^${decimal}$`, "u"),
  new RegExp(`^(?<name>${escapedNamePattern})(?<operator>${numeric}|${textual})(?<value>[\\s\\S]*)$`, "u"),
];

/** A score by its name, or as `name@version` by a version of a custom metric: a client's score may be named so, too. */
export interface ScoreReference {
  readonly name: string;
  readonly ofVersion?: { readonly name: string; readonly version: number } | undefined;
}

const version = String.raw`@(?<version>[1-9]\d{0,5})`;
const plainReference = new RegExp(`^(?<base>.+)${version}$`, "u");
const escapedReference = new RegExp(`^(?<base>${escapedNamePattern})${version}$`, "u");

/** Reads the reference to a score. @param nameIn converts the name of the text. */
const referenceOf = (text: string, form: RegExp, nameIn = (name: string): string => name): ScoreReference => {
  const { base, version } = form.exec(text)?.groups ?? {};
  const ofVersion = base === undefined ? undefined : { name: nameIn(base), version: Number(version) };
  return { name: nameIn(text), ofVersion };
};

/** Reads a reference to a score in which no character is escaped. */
export const plainScoreReference = (text: string): ScoreReference => referenceOf(text, plainReference);

/** A parsed score condition: `<name><operator><value>`. */
export interface ScoreCondition extends ScoreReference {
  readonly operator: Comparison | "=" | "!=";
  readonly value: string;
  /** The value as a number; null if it is none. */
  readonly number: number | null;
  readonly holds: (score: ComparableScore) => boolean;
}

const isComparison = (operator: string): operator is Comparison => Object.hasOwn(comparisons, operator);

/**
 * Parses a condition such as `task_completion<0.5` or `helpful=true`. Numbers are compared as numbers, other values
 * only for equality. A score that does not apply matches no condition.
 *
 * @returns null if the text is malformed.
 */
export const parseScoreCondition = (text: string): ScoreCondition | null => {
  if (!conditionPattern.test(text)) return null;
  const { name = "", operator = "", value = "" } = conditionParts.exec(text)?.groups ?? {};
  const reference = referenceOf(name, escapedReference, unescapeScoreName);
  const number = numberPattern.test(value) ? Number(value) : null;
  const parsed = { ...reference, value, number };
  if (isComparison(operator)) {
    const compare = comparisons[operator];
    return {
      ...parsed,
      operator,
      holds: (score) => score.number !== null && number !== null && compare(score.number, number),
    };
  }
  const equals = (score: ComparableScore): boolean =>
    number !== null && score.number !== null ? score.number === number : score.value === value;
  const isEquality = operator === "=";
  return {
    ...parsed,
    operator: isEquality ? "=" : "!=",
    holds: (score) => score.applicable !== false && score.value !== null && equals(score) === isEquality,
  };
};

/** Returns the names under which the newest score of a reference is stored. */
const storedNames = ({ name, ofVersion }: ScoreReference): readonly string[] =>
  ofVersion === undefined ? [name] : [name, ofVersion.name];

/** Returns the newest score of a name, or of that name's version of a custom metric. */
const newestScore = (scores: ScoresByName, { name, ofVersion }: ScoreReference): ComparableScore | undefined => {
  const score = scores.get(name);
  if (score !== undefined || ofVersion === undefined) return score;
  const ofMetric = scores.get(ofVersion.name);
  return ofMetric?.metric_version === ofVersion.version ? ofMetric : undefined;
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
  /** Whose newest scores the test reads; absent for those that count. */
  readonly giver?: "person" | "program" | undefined;
  readonly matches: (scores: ScoresByName) => boolean;
}

/** Returns the scores that filters refer to. */
export const scoreReferences = ({
  score = [],
  no_score: absent = [],
}: NewestScoreFilters): readonly ScoreReference[] => [
  ...score.flatMap((text) => parseScoreCondition(text) ?? []),
  ...absent.map(plainScoreReference),
];

/** Compiles score filters; null if there are none. @param extraNames names of further scores to read. */
export const scoreTest = (
  { score = [], no_score: absentNames = [] }: NewestScoreFilters,
  extraNames: readonly string[] = [],
): ScoreTest | null => {
  const conditions = score.map((text) => parseScoreCondition(text) ?? { name: text, holds: () => false });
  const absent = absentNames.map(plainScoreReference);
  const filterNames = [...conditions, ...absent].flatMap(storedNames);
  const names = [...new Set([...filterNames, ...extraNames])];
  if (names.length === 0) return null;
  const holds = (scores: ScoresByName, condition: ScoreReference & Pick<ScoreCondition, "holds">): boolean => {
    const score = newestScore(scores, condition);
    return score !== undefined && condition.holds(score);
  };
  return {
    names,
    matches: (scores) =>
      conditions.every((condition) => holds(scores, condition)) &&
      absent.every((reference) => newestScore(scores, reference) === undefined),
  };
};
