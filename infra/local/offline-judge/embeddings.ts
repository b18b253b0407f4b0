import { createHash } from "node:crypto";
import { array, nonEmpty, object, optional, picklist, pipe, string, union, type InferOutput } from "valibot";

/** As much of an embeddings request as is looked at. */
export const embeddingsRequest = object({
  model: string(),
  input: union([string(), pipe(array(string()), nonEmpty())]),
  encoding_format: optional(picklist(["float", "base64"]), "float"),
});

/** Name of the only embedding model here. */
export const embeddingModel = "words";

const dimensions = 512;

/** The cosine that texts without a common word have: a model's vectors all point a little the same way. */
const common = 0.3;

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];

/** A text's words, hashed into a vector of length 1: the more words two texts share, the nearer they are. */
const vectorOf = (text: string): Float32Array => {
  const vector = new Float32Array(dimensions);
  for (const word of wordsOf(text)) {
    const place = createHash("md5").update(word).digest().readUInt32LE(0) % (dimensions - 1);
    vector[place + 1] = (vector[place + 1] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  const own = length === 0 ? 0 : Math.sqrt(1 - common) / length;
  for (const [place, count] of vector.entries()) vector[place] = count * own;
  vector[0] = length === 0 ? 1 : Math.sqrt(common);
  return vector;
};

const encoded = (vector: Float32Array, format: "float" | "base64"): readonly number[] | string =>
  format === "float" ? [...vector] : Buffer.from(vector.buffer).toString("base64");

/** The reply of OpenAI's embeddings endpoint. */
export const embeddingsReply = (
  { model, input, encoding_format: format }: InferOutput<typeof embeddingsRequest>,
  tokens: (text: string) => number,
): object => {
  const texts = [input].flat();
  const used = texts.reduce((sum, text) => sum + tokens(text), 0);
  return {
    object: "list",
    model,
    data: texts.map((text, index) => ({ object: "embedding", index, embedding: encoded(vectorOf(text), format) })),
    usage: { prompt_tokens: used, total_tokens: used },
  };
};
