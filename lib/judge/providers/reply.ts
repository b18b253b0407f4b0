import type { Tokens } from "../../prices/price.ts";
import { failureOf, type Completion, type Embedding } from "./provider.ts";

/** Fields of an untrusted JSON object. */
export type ReplyFields = Readonly<Record<string, unknown>>;

const hasFields = (value: unknown): value is ReplyFields => typeof value === "object" && value !== null;

/** Parses untrusted JSON; undefined for invalid JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the fields of an untrusted value; none if it is not an object. */
export const fieldsOf = (value: unknown): ReplyFields => (hasFields(value) ? value : {});

/** Levels of lists and objects in which `isAbsent` looks for a value. */
const maxAbsentDepth = 3;

/**
 * True for a field that says nothing: it is missing, or filled as servers fill fields that they do not use, with null, `{}`, `""`, 0,
 * or an object of such values.
 */
export const isAbsent = (value: unknown, depth = maxAbsentDepth): boolean =>
  typeof value === "object" && value !== null
    ? depth > 0 && Object.values(value).every((part) => isAbsent(part, depth - 1))
    : !value;

/** Returns an untrusted count; 0 for anything but a positive safe integer. */
export const countOf = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;

/**
 * Returns the tokens of a prompt whose reported count excludes those read from and written to the cache; all 0, as if nothing was
 * reported, for an impossible count.
 */
export const promptTokens = (uncached: unknown, cached: unknown, written: unknown): Omit<Tokens, "completion"> => {
  if (uncached !== 0 && countOf(uncached) === 0) return { prompt: 0, cached: 0, written: 0 };
  const parts = { cached: countOf(cached), written: countOf(written) };
  return { prompt: countOf(uncached) + parts.cached + parts.written, ...parts };
};

/** Returns an untrusted array; empty for other values. */
export const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Minimum length of a key to redact; shorter keys are placeholders that may occur in ordinary answers. */
const minSecretLength = 16;

/** Removes the API key from an answer, since a reply may repeat it and answers are stored. */
export const redactKey = (secret: string | null, completion: Completion): Completion =>
  completion.kind === "answer" && secret !== null && secret.length >= minSecretLength
    ? { ...completion, text: completion.text.replaceAll(secret, "[key]") }
    : completion;

const malformedVectors = failureOf("judge_malformed", {
  message: "The embedding model's reply does not hold a vector for each text.",
});

const isVector = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every((place) => Number.isFinite(place));

/** Checks the vectors of a reply: one per text, all of the same length; otherwise returns the failure `judge_malformed`. */
export const embeddingOf = (vectors: readonly unknown[], texts: number, tokens: number): Embedding => {
  const [first] = vectors;
  if (vectors.length !== texts || !isVector(first)) return malformedVectors;
  const isSameLength = (value: unknown): value is readonly number[] => isVector(value) && value.length === first.length;
  return vectors.every(isSameLength) ? { kind: "vectors", vectors, tokens } : malformedVectors;
};
