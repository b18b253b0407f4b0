import { claudeBody, readClaudeMessage } from "./anthropic.ts";
import { boundedFetch, bytesOf } from "./bounded-fetch.ts";
import { openAiProtocol } from "./openai-protocol.ts";
import { firstFailure, postJson, replyOf, urlBelow, type Post, type Posted } from "./post-json.ts";
import type { Connector, Embed } from "./provider.ts";
import { countOf, embeddingOf, fieldsOf, listOf } from "./provider-reply.ts";

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

/** Foundation models and inference profiles carry the maker's name: `eu.anthropic.claude-...`, `openai.gpt-oss-...`. */
const isClaude = (model: string): boolean => /(?:^|[./])anthropic\./u.test(model);

/**
 * Amazon Bedrock, signed with the function's role. Claude models are invoked with their own body, for its cache mark; all
 * others over the OpenAI-compatible side of the same endpoint, which has the open-weight models and OpenAI's but neither
 * Nova nor Llama. The stored base URL is that of another Region's endpoint, `https://bedrock-runtime.us-west-2.amazonaws.com`.
 */
export const bedrock: Connector = ({ baseUrl }, { now, sign, region: own = "us-east-1" }) => {
  const endpoint = baseUrl ?? `https://bedrock-runtime.${own}.amazonaws.com`;
  const region = /^bedrock-runtime\.([a-z0-9-]+)\./u.exec(new URL(endpoint).hostname)?.[1] ?? own;
  const invoke = (model: string, body: unknown, timeout: number): Post => {
    const url = urlBelow(endpoint, `model/${encodeURIComponent(model)}/invoke`);
    return { url, body, timeout, headers: (text) => sign({ url, headers: json, body: text }, service, region) };
  };
  const signed: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const body = bytesOf(init?.body);
    return boundedFetch(url, { ...init, headers: await sign({ url, headers: json, body }, service, region) });
  };
  const others = openAiProtocol({ baseUrl: urlBelow(endpoint, "openai/v1").href, key: null, fetch: signed }, now);
  return {
    complete: async (request) => {
      if (!isClaude(request.model)) return others.complete(request);
      const body = { anthropic_version: "bedrock-2023-05-31", ...claudeBody(request) };
      const posted = await postJson(invoke(request.model, body, request.timeout), now);
      return posted.kind === "reply" ? readClaudeMessage(posted.reply) : posted;
    },
    embed: (model) => bedrockEmbed(model, (body, timeout) => postJson(invoke(model, body, timeout), now)),
  };
};
