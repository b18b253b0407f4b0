import { chatBodyWriter, readChatCompletion } from "./chat-completions.ts";
import { strictDialect, type Dialect } from "./dialect.ts";
import { learning } from "./learning.ts";
import { postJson, urlBelow, type Post } from "./post-json.ts";
import type { Embed, ProviderClient } from "./provider.ts";
import { readEmbeddings, redacted } from "./provider-reply.ts";

/** Where, as whom and how to call. */
export interface Endpoint {
  readonly baseUrl: string;
  /** Null where none is asked for, or where `headers` identify us. */
  readonly key: string | null;
  /** What identifies us; the key when absent. */
  readonly headers?: Post["headers"];
  /** As `Post` has it. */
  readonly statusOf?: Post["statusOf"];
  /** Fields of this provider's own in the body of every question. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Whether the provider sells tiers. */
  readonly tiers?: true;
  /** What its models are thought to take before they have refused anything; all there is when absent. */
  readonly dialect?: Dialect;
  /** What the provider calls a model; as given when absent. */
  readonly modelName?: (model: string) => string;
}

const as = (model: string): string => model;

/**
 * Calls of any provider that speaks OpenAI's chat completions with strict JSON schemas, and its embeddings.
 *
 * @param now epoch milliseconds, to read a `Retry-After` date against.
 */
export const openAiProtocol = (
  {
    baseUrl,
    key,
    headers = async () => ({ ...(key !== null && { authorization: `Bearer ${key}` }) }),
    statusOf,
    extra = {},
    tiers,
    dialect: first = strictDialect,
    modelName = as,
  }: Endpoint,
  now: () => number,
): ProviderClient => {
  const write = chatBodyWriter(extra);
  const [completions, embeddings] = [urlBelow(baseUrl, "chat/completions"), urlBelow(baseUrl, "embeddings")];
  const { complete, sampling } = learning(first, now, async ({ timeout, tier, ...request }, dialect) => {
    const asked = { ...request, model: modelName(request.model), ...(tiers && tier && { tier }) };
    const posted = await postJson({ url: completions, body: write(asked, dialect), headers, timeout, statusOf }, now);
    return posted.kind === "reply" ? redacted(key, readChatCompletion(posted.reply)) : posted;
  });
  const embed =
    (model: string): Embed =>
    async ({ texts, timeout }) => {
      const body = JSON.stringify({ model: modelName(model), input: texts, encoding_format: "float" });
      const posted = await postJson({ url: embeddings, body, headers, timeout, statusOf }, now);
      return posted.kind === "reply" ? readEmbeddings(posted.reply, texts.length) : posted;
    };
  return { complete, sampling, embed };
};
