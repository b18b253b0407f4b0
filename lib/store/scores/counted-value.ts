import type { Score } from "../../domain/scores/score.ts";

/**
 * Stands before the value of a score that does not apply, in the only attribute that the index by creation has for it. No
 * value that is sent begins with it, and the version before reads the same number through it.
 */
const uncounted = " ";

/** The value of a numeric score as its item has it for statistics. */
export const valueAttribute = ({ data_type, value, applicable }: Score): string | undefined =>
  data_type !== "NUMERIC" || value === null ? undefined : applicable === false ? `${uncounted}${value}` : value;

/** Whether statistics count a score with this attribute. */
export const isCounted = (attribute: string | undefined): boolean => attribute?.startsWith(uncounted) !== true;

/** The number in such an attribute; null where there is none. */
export const countedValue = (attribute: string | undefined): number | null => {
  const value = attribute === undefined ? Number.NaN : Number(attribute);
  return Number.isFinite(value) ? value : null;
};
