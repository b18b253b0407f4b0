import { toDouble, type Json } from "../../domain/json.ts";

/** Minimum length of an embedding vector; shorter arrays of numbers are ordinary data. */
const minVectorLength = 128;
/** Minimum share of non-integers in a vector; measurements and counts have fewer. */
const minFractionShare = 0.9;

/** True for an array of numbers that looks like an embedding vector. */
export const isVector = (value: readonly Json[]): boolean => {
  if (value.length < minVectorLength) return false;
  let [numbers, fractions] = [0, 0];
  for (const each of value) {
    const number = toDouble(each);
    if (typeof number !== "number") return false;
    numbers += 1;
    if (!Number.isInteger(number)) fractions += 1;
  }
  return fractions >= numbers * minFractionShare;
};

/** Returns the placeholder of a vector with `count` numbers. */
export const numbersText = (count: number): string => `[${count.toLocaleString("en-US")} numbers, not shown]`;

// Bounded repetitions, so that matching takes linear time on any text.
const number = String.raw`-?\d{1,20}\.\d{1,25}(?:[eE][-+]?\d{1,3})?`;
const run = new RegExp(String.raw`\[?${number}(?:\s{0,4},\s{0,4}${number}){${minVectorLength - 1},}\]?`, "gu");

/** Replaces vectors in a text (embedded JSON, logs) by placeholders. */
export const withoutNumbers = (text: string): string =>
  text.length < minVectorLength * 4 ? text : text.replace(run, (vector) => numbersText(vector.split(",").length));
