import { toDouble, type Json } from "../../domain/json.ts";

/** Shorter lists of numbers are data: the vectors of embedding models have more. */
const fewest = 128;
/** The share of fractions in a vector: readings and counts are rounder. */
const fractions = 0.9;

/** A list of numbers that no judge reads anything in, such as a vector. */
export const isVector = (value: readonly Json[]): boolean => {
  if (value.length < fewest) return false;
  let [numbers, broken] = [0, 0];
  for (const each of value) {
    const number = toDouble(each);
    if (typeof number !== "number") return false;
    numbers += 1;
    if (!Number.isInteger(number)) broken += 1;
  }
  return broken >= numbers * fractions;
};

/** What stands in the place of numbers. */
export const numbersText = (count: number): string => `[${count.toLocaleString("en-US")} numbers, not shown]`;

// Bounded, so that no text of digits or blanks takes longer than others.
const number = String.raw`-?\d{1,20}\.\d{1,25}(?:[eE][-+]?\d{1,3})?`;
const run = new RegExp(String.raw`\[?${number}(?:\s{0,4},\s{0,4}${number}){${fewest - 1},}\]?`, "gu");

/** A text without the vectors in it, which JSON in a text and logs have. */
export const withoutNumbers = (text: string): string =>
  text.length < fewest * 4 ? text : text.replace(run, (found) => numbersText(found.split(",").length));
