import { converseBody, converseDialect, readConverse } from "./converse.ts";
import { withDialectLearning } from "./dialect-learning.ts";
import { firstFailure, postJson, replyOf, urlBelow, type Post, type PostResult } from "./post-json.ts";
import type { Connector, Embed } from "./provider.ts";
import { embeddingOf } from "./provider-reply.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";

/** Invokes an embedding model with a JSON body. */
type Invoke = (body: unknown, timeout: number) => Promise<PostResult>;

/** Embeds texts with a Cohere model: one call for all texts; the reply has no token count. */
const cohere =
  (invoke: Invoke): Embed =>
  async ({ texts, timeout }) => {
    const result = await invoke({ texts, input_type: "clustering", truncate: "END" }, timeout);
    if (result.kind === "failure") return result;
    const { embeddings } = fieldsOf(result.reply);
    const vectors = Array.isArray(embeddings) ? embeddings : fieldsOf(embeddings)["float"];
    return embeddingOf(listOf(vectors), texts.length, 0);
  };

/** Embeds texts with Amazon Titan: one call per text. */
const titan =
  (invoke: Invoke): Embed =>
  async ({ texts, timeout }) => {
    const replies = await Promise.all(texts.map((inputText) => invoke({ inputText }, timeout)));
    const failure = firstFailure(replies);
    if (failure !== undefined) return failure;
    const parts = replies.map((result) => fieldsOf(replyOf(result)));
    const tokens = parts.reduce((sum, part) => sum + countOf(part["inputTextTokenCount"]), 0);
    return embeddingOf(
      parts.map((part) => part["embedding"]),
      texts.length,
      tokens,
    );
  };

/** Returns the embedding calls of a Bedrock model: Cohere's protocol for its models, Titan's for all others. */
const bedrockEmbed = (model: string, invoke: Invoke): Embed =>
  /(?:^|[./])cohere\./u.test(model) ? cohere(invoke) : titan(invoke);

const service = "bedrock";
const json = { "content-type": "application/json" };

/**
 * Connects to Amazon Bedrock's Converse API; requests are signed with the role of the function. The optional base URL is the
 * endpoint of another Region, such as `https://bedrock-runtime.us-west-2.amazonaws.com`.
 */
export const bedrock: Connector = (
  { baseUrl },
  { now, sign, dialect: dialectSettings, region: ownRegion = "us-east-1" },
) => {
  const endpoint = baseUrl ?? `https://bedrock-runtime.${ownRegion}.amazonaws.com`;
  const region = /^bedrock-runtime\.([a-z0-9-]+)\./u.exec(new URL(endpoint).hostname)?.[1] ?? ownRegion;
  const post = (model: string, action: "converse" | "invoke", payload: unknown, timeout: number): Post => {
    const url = urlBelow(endpoint, `model/${encodeURIComponent(model)}/${action}`);
    const body = JSON.stringify(payload);
    return { url, body, timeout, headers: () => sign({ url, headers: json, body }, service, region) };
  };
  const converse = withDialectLearning({ ...converseDialect, ...dialectSettings }, now, async (request, dialect) => {
    const result = await postJson(
      post(request.model, "converse", converseBody(request, dialect), request.timeout),
      now,
    );
    return result.kind === "reply" ? readConverse(result.reply) : result;
  });
  return {
    ...converse,
    embed: (model) => bedrockEmbed(model, (body, timeout) => postJson(post(model, "invoke", body, timeout), now)),
  };
};
