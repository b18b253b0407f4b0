/** A place on a metric's scale of five: 0 is the best. */
export type Place = 0 | 1 | 2 | 3 | 4;

/** What the rules have to say to a question's statements: which of them do not hold, and the same words to all. */
export interface RuleStatements {
  readonly no: readonly string[];
  readonly evidence: string;
  readonly reason: string;
}

/** An answer of the rule judge: every field of the question's schema. */
export interface RuleAnswer {
  readonly statements?: RuleStatements;
  readonly [field: string]: unknown;
}

/** The statements that do not hold at each place but the best one. */
export type NoAt = readonly [never[], string[], string[], string[], string[]];

/** A metric's statements as they are answered at a place of its scale. */
export const statementsAt = (noAt: NoAt, place: Place, evidence: string, reason: string): RuleStatements => ({
  no: noAt[place],
  evidence,
  reason: said(reason),
});

/** A reason of the rule judge: it says whose it is. */
export const said = (text: string): string => `offline/rules: ${text}`;

/** The beginning of a text, on one line. */
export const short = (text: string): string =>
  text === "" ? "(empty)" : text.replace(/\s+/gu, " ").slice(0, 300).toWellFormed();

/** Whether a shown value is none. */
export const isEmpty = (text: string): boolean => ["", '""', "null", "{}", "[]"].includes(text);

/** The place of the first limit that a share does not pass; the last when it passes all. */
export const placeOf = (share: number, limits: readonly [number, number, number, number]): Place => {
  const places = [0, 1, 2, 3] as const;
  return places.find((place) => share <= limits[place]) ?? 4;
};

/** A share of some things; 0 of none. */
export const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
