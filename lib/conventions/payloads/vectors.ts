import { isObject, type Json } from "../../domain/json.ts";
import { isList, parseEmbeddedJson } from "../attributes/embedded-json.ts";

/** Min length of a list of numbers to count as a vector, in spans of embeddings. */
const minDimensions = 8;
/** Max depth to which a value is searched for vectors. */
const maxDepth = 8;

const base64Floats = /^[A-Za-z0-9+/]{64,}={0,2}$/u;

/** Returns the number of dimensions of a vector: a list of numbers, or base64 of 32-bit floats. Null for any other value. */
const dimensionsOf = (value: Json): number | null => {
  if (isList(value))
    return value.length >= minDimensions && value.every((each) => typeof each === "number") ? value.length : null;
  return typeof value === "string" && base64Floats.test(value) ? Math.floor((value.length * 3) / 16) : null;
};

/** Returns the number of dimensions of each vector in a value. */
export const vectorsIn = (value: Json, depth = 0): readonly number[] => {
  const dimensions = dimensionsOf(value);
  if (dimensions !== null) return [dimensions];
  if (typeof value !== "object" || value === null || depth > maxDepth) return [];
  return Object.values(value).flatMap((each: Json) => vectorsIn(each, depth + 1));
};

const numberList = /\[[-+\d.eE,\s]{16,}\]/gu;

/** Counts the numbers in the text of a JSON list of numbers. */
export const countNumbers = (text: string): number => text.split(",").length;

/** Describes vectors as a text: `20 vectors of 1536`. */
export const vectorText = (dimensions: readonly number[]): string => {
  const sizes = [...new Set(dimensions)].toSorted((a, b) => a - b);
  const size = sizes.length === 1 ? String(sizes[0]) : `${sizes[0]} to ${sizes.at(-1)}`;
  return `${dimensions.length} ${dimensions.length === 1 ? "vector" : "vectors"} of ${size}`;
};

const replaceVectors = (value: Json, depth: number): Json => {
  const dimensions = dimensionsOf(value);
  if (dimensions !== null) return `[vector of ${dimensions}]`;
  if (depth > maxDepth) return value;
  if (isList(value)) return value.map((each) => replaceVectors(each, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaceVectors(each, depth + 1)]));
};

/** Replaces each vector in a value, or in JSON text, by a text such as `[vector of 1536]`. */
export const withoutVectors = (value: Json): Json => {
  // Vectors are removed from a text before it is parsed: parsing hundreds of thousands of numbers is expensive.
  if (typeof value !== "string") return replaceVectors(value, 0);
  const text = value.replace(numberList, (list) => {
    const count = countNumbers(list);
    return count < minDimensions ? list : `"[vector of ${count}]"`;
  });
  return replaceVectors(parseEmbeddedJson(text), 0);
};
