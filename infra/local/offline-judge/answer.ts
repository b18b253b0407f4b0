/** An answer of the rule judge: every field of the question's schema. */
export type RuleAnswer = Readonly<Record<string, unknown>>;

/** A reason of the rule judge: it says whose it is. */
export const said = (text: string): string => `offline/rules: ${text}`;

/** The beginning of a text, on one line. */
export const short = (text: string): string =>
  text === "" ? "(empty)" : text.replace(/\s+/gu, " ").slice(0, 300).toWellFormed();

/** Whether a shown value is none. */
export const isEmpty = (text: string): boolean => ["", '""', "null", "{}", "[]"].includes(text);

/** The anchor of the first step that a share does not pass; `last` when it passes all. */
export const anchorFor = (
  share: number,
  steps: readonly (readonly [most: number, anchor: string])[],
  last: string,
): string => steps.find(([most]) => share <= most)?.[1] ?? last;

/** A share of some things; 0 of none. */
export const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
