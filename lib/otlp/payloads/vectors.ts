import type { Json } from "../../domain/json.ts";
import { isList, isObject, structured } from "../reader.ts";

/** Dimensions below which a list of numbers in the output of an embedding is not taken for a vector. */
const fewest = 8;
/** Values are looked through this deep at most. */
const deepest = 8;

const base64Floats = /^[A-Za-z0-9+/]{64,}={0,2}$/u;

/** Dimensions of a vector, a list of numbers or the base64 of floats of 32 bits; null for any other value. */
const dimensionsOf = (value: Json): number | null => {
  if (isList(value))
    return value.length >= fewest && value.every((each) => typeof each === "number") ? value.length : null;
  return typeof value === "string" && base64Floats.test(value) ? Math.floor((value.length * 3) / 16) : null;
};

/** The dimensions of all vectors in a value, each for itself. */
export const vectorsIn = (value: Json, depth = 0): readonly number[] => {
  const own = dimensionsOf(value);
  if (own !== null) return [own];
  if (typeof value !== "object" || value === null || depth > deepest) return [];
  return Object.values(value).flatMap((each: Json) => vectorsIn(each, depth + 1));
};

const listed = /\[[-+\d.eE,\s]{16,}\]/gu;

/** How many numbers stand in a text between brackets. */
export const numbersIn = (text: string): number => text.split(",").length;

/** Vectors in words: `20 vectors of 1536`. */
export const vectorText = (dimensions: readonly number[]): string => {
  const sizes = [...new Set(dimensions)].toSorted((a, b) => a - b);
  const size = sizes.length === 1 ? String(sizes[0]) : `${sizes[0]} to ${sizes.at(-1)}`;
  return `${dimensions.length} ${dimensions.length === 1 ? "vector" : "vectors"} of ${size}`;
};

const replaced = (value: Json, depth: number): Json => {
  const own = dimensionsOf(value);
  if (own !== null) return `[vector of ${own}]`;
  if (depth > deepest) return value;
  if (isList(value)) return value.map((each) => replaced(each, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each, depth + 1)]));
};

/** A value, or JSON in a text, without the numbers of its vectors. */
export const withoutVectors = (value: Json): Json => {
  // A text of some hundred thousand digits costs more to read than to look through.
  if (typeof value !== "string") return replaced(value, 0);
  const text = value.replace(listed, (list) => {
    const count = numbersIn(list);
    return count < fewest ? list : `"[vector of ${count}]"`;
  });
  return replaced(structured(text), 0);
};
