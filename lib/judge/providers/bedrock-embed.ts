import type { Failure } from "./completion.ts";
import type { Embed } from "./embed.ts";
import { embeddingOf } from "./embedding-reply.ts";
import type { Posted } from "./post-json.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";

/** Invokes the model with a body. */
type Invoke = (body: unknown, timeout: number) => Promise<Posted>;

const firstFailure = (replies: readonly Posted[]): Failure | undefined =>
  replies.find((posted) => posted.kind === "failure");

const replyOf = (posted: Posted): unknown => (posted.kind === "reply" ? posted.reply : null);

/** Cohere's models take all texts at once and count no tokens in their reply. */
const cohere =
  (invoke: Invoke): Embed =>
  async ({ texts, timeout }) => {
    const posted = await invoke({ texts, input_type: "clustering", truncate: "END" }, timeout);
    if (posted.kind === "failure") return posted;
    const { embeddings } = fieldsOf(posted.reply);
    const vectors = Array.isArray(embeddings) ? embeddings : fieldsOf(embeddings)["float"];
    return embeddingOf(listOf(vectors), texts.length, 0);
  };

/** Titan takes one text a call. */
const titan =
  (invoke: Invoke): Embed =>
  async ({ texts, timeout }) => {
    const replies = await Promise.all(texts.map((inputText) => invoke({ inputText }, timeout)));
    const failure = firstFailure(replies);
    if (failure !== undefined) return failure;
    const parts = replies.map((posted) => fieldsOf(replyOf(posted)));
    const tokens = parts.reduce((sum, part) => sum + countOf(part["inputTextTokenCount"]), 0);
    return embeddingOf(
      parts.map((part) => part["embedding"]),
      texts.length,
      tokens,
    );
  };

/** Embeddings of Bedrock's models, by maker: Cohere's, and Amazon Titan's for every other name. */
export const bedrockEmbed = (model: string, invoke: Invoke): Embed =>
  /(?:^|[./])cohere\./u.test(model) ? cohere(invoke) : titan(invoke);
