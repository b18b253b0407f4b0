import { countOf, fieldsOf, listOf } from "./reply-fields.ts";
import { failed, type Completion, type Embedding } from "./provider.ts";

/** Shorter ones are placeholders for servers that want any key; words like those stand in honest answers too. */
const shortestSecret = 16;

/** An answer without the key we sent: a reply may repeat it; what we keep must not. */
export const redacted = (secret: string | null, completion: Completion): Completion =>
  completion.kind === "answer" && secret !== null && secret.length >= shortestSecret
    ? { ...completion, text: completion.text.replaceAll(secret, "[key]") }
    : completion;

const malformed = failed("judge_malformed", {
  message: "The embedding model's reply does not hold a vector for each text.",
});

const isVector = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every((place) => Number.isFinite(place));

/** Vectors of a stranger's reply, or that they are none: one for each text, all of one length. */
export const embeddingOf = (vectors: readonly unknown[], texts: number, tokens: number): Embedding => {
  const [first] = vectors;
  if (vectors.length !== texts || !isVector(first)) return malformed;
  const alike = (value: unknown): value is readonly number[] => isVector(value) && value.length === first.length;
  return vectors.every(alike) ? { kind: "vectors", vectors, tokens } : malformed;
};

/** What a reply in OpenAI's form of embeddings says; its `index` tells which text a vector is of. */
export const readEmbeddings = (reply: unknown, texts: number): Embedding => {
  const { data, usage } = fieldsOf(reply);
  const places = listOf(data).map(fieldsOf);
  const vectors = Array.from({ length: texts }, (_, index) => {
    const own = places.find((place) => place["index"] === index) ?? places[index];
    return own?.["embedding"];
  });
  if (places.length !== texts) return malformed;
  return embeddingOf(vectors, texts, countOf(fieldsOf(usage)["prompt_tokens"]));
};
