import { chatBodyWriter, readChatCompletion } from "./chat-completions.ts";
import { strictDialect, type Dialect } from "./dialect.ts";
import { withDialectLearning } from "./dialect-learning.ts";
import { postJson, urlBelow, type Post } from "./post-json.ts";
import type { Embed, ProviderClient } from "./provider.ts";
import { readEmbeddings, redactKey } from "./provider-reply.ts";

/** Address, credentials and peculiarities of a server with OpenAI's protocol. */
export interface Endpoint {
  readonly baseUrl: string;
  /** API key; null for servers without one, or when `headers` authenticates. */
  readonly key: string | null;
  /** Returns the authentication headers; the key as a bearer token when absent. */
  readonly headers?: Post["headers"];
  /** Corrects the status of a refusal, see `Post`. */
  readonly statusOf?: Post["statusOf"];
  /** Provider-specific fields in the body of every question. */
  readonly extraFields?: Readonly<Record<string, unknown>>;
  /** True if the provider has service tiers (flex and standard). */
  readonly hasTiers?: true;
  /** Initial request dialect, adapted after refusals; `strictDialect` when absent. */
  readonly dialect?: Dialect;
  /** Maps a model to the provider's name for it; the same name when absent. */
  readonly modelName?: (model: string) => string;
}

const sameName = (model: string): string => model;

/**
 * Creates a client for a provider with OpenAI's protocol: chat completions with JSON schemas, and embeddings.
 *
 * @param now current time in epoch milliseconds, for a `Retry-After` date.
 */
export const openAiProtocol = (
  {
    baseUrl,
    key,
    headers = async () => ({ ...(key !== null && { authorization: `Bearer ${key}` }) }),
    statusOf,
    extraFields = {},
    hasTiers,
    dialect: first = strictDialect,
    modelName = sameName,
  }: Endpoint,
  now: () => number,
): ProviderClient => {
  const write = chatBodyWriter(extraFields);
  const [completions, embeddings] = [urlBelow(baseUrl, "chat/completions"), urlBelow(baseUrl, "embeddings")];
  const { complete, sampling } = withDialectLearning(first, now, async ({ timeout, tier, ...request }, dialect) => {
    const chatRequest = { ...request, model: modelName(request.model), ...(hasTiers && tier && { tier }) };
    const result = await postJson(
      { url: completions, body: write(chatRequest, dialect), headers, timeout, statusOf },
      now,
    );
    return result.kind === "reply" ? redactKey(key, readChatCompletion(result.reply)) : result;
  });
  const embed =
    (model: string): Embed =>
    async ({ texts, timeout }) => {
      const body = JSON.stringify({ model: modelName(model), input: texts, encoding_format: "float" });
      const result = await postJson({ url: embeddings, body, headers, timeout, statusOf }, now);
      return result.kind === "reply" ? readEmbeddings(result.reply, texts.length) : result;
    };
  return { complete, sampling, embed };
};
