/** A place on a metric's scale of five: 0 is the best. */
export type Place = 0 | 1 | 2 | 3 | 4;

/** An answer of the rule judge: every field of the question's schema; a verdict by its place on the metric's scale. */
export interface RuleAnswer {
  readonly verdict?: Place;
  readonly [field: string]: unknown;
}

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
