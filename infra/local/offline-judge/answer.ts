import { saysSomething } from "../../../lib/domain/says-something.ts";

/** A grade on a metric's scale of five: 0 is the best, 4 the worst. */
export type Grade = 0 | 1 | 2 | 3 | 4;

/** The rules' answer to a question's statements: the names of those that do not hold, and one reason and the same citations for all. */
export interface RuleStatements {
  readonly failedStatements: readonly string[];
  readonly evidence: readonly string[];
  readonly reason: string;
}

/** An answer of the rule judge, with a value for every field of the question's schema. */
export interface RuleAnswer {
  readonly statements?: RuleStatements;
  readonly [field: string]: unknown;
}

/** Names of the statements that do not hold, for each grade; none for the best grade. */
export type FailedStatementsByGrade = readonly [never[], string[], string[], string[], string[]];

/** Answers a metric's statements for a grade. */
export const statementsForGrade = (
  failedByGrade: FailedStatementsByGrade,
  grade: Grade,
  evidence: readonly string[],
  reason: string,
): RuleStatements => ({
  failedStatements: failedByGrade[grade],
  evidence,
  reason: ruleReason(reason),
});

/** Returns the first two of what counts against the agent, or of all if nothing does: a statement has at most two citations. */
export const cited = (against: readonly string[], all: readonly string[]): readonly string[] =>
  (against.length > 0 ? against : all).slice(0, 2);

/** Marks a reason as one of the rule judge. */
export const ruleReason = (text: string): string => `offline/rules: ${text}`;

/** A count with its noun, in the plural unless the count is 1: `counted(2, "tool call")` is "2 tool calls". */
export const withCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Returns the first 300 characters of a text on one line. */
export const excerpt = (text: string): string =>
  text === "" ? "(empty)" : text.replace(/\s+/gu, " ").slice(0, 300).toWellFormed();

/** True if a value in a transcript says nothing: no text, `null`, `{}` or `[]`. */
export const isEmpty = (text: string): boolean => text === "null" || !saysSomething(text);

/** Grades a share: the index of the first limit that is not exceeded; 4 if all are exceeded. */
export const gradeOf = (share: number, limits: readonly [number, number, number, number]): Grade => {
  const grades = [0, 1, 2, 3] as const;
  return grades.find((grade) => share <= limits[grade]) ?? 4;
};

/** Computes the share `part / total`; 0 if the total is 0. */
export const shareOf = (part: number, total: number): number => (total === 0 ? 0 : part / total);
