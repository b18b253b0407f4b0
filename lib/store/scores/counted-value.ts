import type { Score } from "../../domain/scores/score.ts";

/**
 * Prefix of the value attribute of a score that is not applicable, which statistics must not count: without unpacking
 * the score, nothing else shows it. No valid value starts with a space, and the number parses as before.
 */
const uncountedPrefix = " ";

/** Value attribute of a numeric score, for statistics; undefined for other scores. */
export const valueAttribute = ({ data_type, value, applicable }: Score): string | undefined =>
  data_type !== "NUMERIC" || value === null ? undefined : applicable === false ? `${uncountedPrefix}${value}` : value;

/** True if statistics count a score with this value attribute. */
export const isCounted = (attribute: string | undefined): boolean => attribute?.startsWith(uncountedPrefix) !== true;

/** Number in a value attribute; null when there is none. */
export const countedValue = (attribute: string | undefined): number | null => {
  const value = attribute === undefined ? Number.NaN : Number(attribute);
  return Number.isFinite(value) ? value : null;
};
