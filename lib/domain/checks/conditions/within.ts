import type { NumberRange } from "../check.ts";

export const isWithin = ({ min, max }: NumberRange, value: number): boolean =>
  (min === null || value >= min) && (max === null || value <= max);

/**
 * Formats bounds: "at least 2 calls", "from 1 to 3 calls", "at most 0.5".
 *
 * @param singular unit for the number 1.
 * @param plural unit for other numbers.
 */
export const boundsText = ({ min, max }: NumberRange, singular = "", plural = singular): string => {
  const withUnit = (bound: number | null): string => `${bound} ${bound === 1 ? singular : plural}`.trim();
  if (min === null) return `at most ${withUnit(max)}`;
  if (max === null) return `at least ${withUnit(min)}`;
  return min === max ? `exactly ${withUnit(min)}` : `from ${min} to ${withUnit(max)}`;
};
