import { converseBody, converseDialect, readConverse } from "./converse.ts";
import { learning } from "./learning.ts";
import { firstFailure, postJson, replyOf, urlBelow, type Post, type Posted } from "./post-json.ts";
import type { Connector, Embed } from "./provider.ts";
import { embeddingOf } from "./provider-reply.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";

/** Invokes the model with a body. */
type Invoke = (body: unknown, timeout: number) => Promise<Posted>;

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
const bedrockEmbed = (model: string, invoke: Invoke): Embed =>
  /(?:^|[./])cohere\./u.test(model) ? cohere(invoke) : titan(invoke);

const service = "bedrock";
const json = { "content-type": "application/json" };

/**
 * Amazon Bedrock, signed with the function's role: every model that Converse has. The stored base URL is that of another
 * Region's endpoint, `https://bedrock-runtime.us-west-2.amazonaws.com`.
 */
export const bedrock: Connector = ({ baseUrl }, { now, sign, dialect: given, region: own = "us-east-1" }) => {
  const endpoint = baseUrl ?? `https://bedrock-runtime.${own}.amazonaws.com`;
  const region = /^bedrock-runtime\.([a-z0-9-]+)\./u.exec(new URL(endpoint).hostname)?.[1] ?? own;
  const post = (model: string, action: "converse" | "invoke", asked: unknown, timeout: number): Post => {
    const url = urlBelow(endpoint, `model/${encodeURIComponent(model)}/${action}`);
    const body = JSON.stringify(asked);
    return { url, body, timeout, headers: () => sign({ url, headers: json, body }, service, region) };
  };
  const converse = learning({ ...converseDialect, ...given }, now, async (request, dialect) => {
    const posted = await postJson(
      post(request.model, "converse", converseBody(request, dialect), request.timeout),
      now,
    );
    return posted.kind === "reply" ? readConverse(posted.reply) : posted;
  });
  return {
    ...converse,
    embed: (model) => bedrockEmbed(model, (body, timeout) => postJson(post(model, "invoke", body, timeout), now)),
  };
};
