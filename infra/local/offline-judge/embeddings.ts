import { createHash } from "node:crypto";
import { array, nonEmpty, object, optional, picklist, pipe, string, union, type InferOutput } from "valibot";

/** Fields of an OpenAI embeddings request that the offline judge reads. */
export const embeddingsRequest = object({
  model: string(),
  input: union([string(), pipe(array(string()), nonEmpty())]),
  encoding_format: optional(picklist(["float", "base64"]), "float"),
});

/** Name of the only embedding model of the offline judge. */
export const embeddingModel = "words";

const dimensions = 512;

/** Cosine similarity of texts without a common word; not 0, as with the vectors of real models. */
const baseCosine = 0.3;

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];

/** Hashes the words of a text into a vector of length 1. Texts that share more words are more similar. */
const vectorOf = (text: string): Float32Array => {
  const vector = new Float32Array(dimensions);
  for (const word of wordsOf(text)) {
    const dimension = createHash("md5").update(word).digest().readUInt32LE(0) % (dimensions - 1);
    vector[dimension + 1] = (vector[dimension + 1] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  const scale = length === 0 ? 0 : Math.sqrt(1 - baseCosine) / length;
  for (const [dimension, count] of vector.entries()) vector[dimension] = count * scale;
  vector[0] = length === 0 ? 1 : Math.sqrt(baseCosine);
  return vector;
};

const encoded = (vector: Float32Array, format: "float" | "base64"): readonly number[] | string =>
  format === "float" ? [...vector] : Buffer.from(vector.buffer).toString("base64");

/** Builds the reply of OpenAI's embeddings endpoint. @param tokens counts the tokens of a text */
export const embeddingsReply = (
  { model, input, encoding_format: format }: InferOutput<typeof embeddingsRequest>,
  tokens: (text: string) => number,
): object => {
  const texts = [input].flat();
  const tokenCount = texts.reduce((sum, text) => sum + tokens(text), 0);
  return {
    object: "list",
    model,
    data: texts.map((text, index) => ({ object: "embedding", index, embedding: encoded(vectorOf(text), format) })),
    usage: { prompt_tokens: tokenCount, total_tokens: tokenCount },
  };
};
