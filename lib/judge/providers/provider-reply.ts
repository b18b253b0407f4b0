import { countOf, fieldsOf, listOf } from "./reply-fields.ts";
import { failureOf, type Completion, type Embedding } from "./provider.ts";

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

/** Reads an embeddings reply of OpenAI's protocol, in which `index` assigns a vector to its text. */
export const readEmbeddings = (reply: unknown, texts: number): Embedding => {
  const { data, usage } = fieldsOf(reply);
  const items = listOf(data).map(fieldsOf);
  const vectors = Array.from({ length: texts }, (_, index) => {
    const item = items.find((candidate) => candidate["index"] === index) ?? items[index];
    return item?.["embedding"];
  });
  if (items.length !== texts) return malformedVectors;
  return embeddingOf(vectors, texts, countOf(fieldsOf(usage)["prompt_tokens"]));
};
