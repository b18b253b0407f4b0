import OpenAI from "openai";
import { bodiless, boundedFetch } from "./bounded-fetch.ts";
import { callFailure } from "./call-failure.ts";
import { chatBodyWriter, readChatCompletion } from "./chat-completions.ts";
import { strictDialect, type Dialect } from "./dialect.ts";
import { learning } from "./learning.ts";
import type { Embed, ProviderClient } from "./provider.ts";
import { readEmbeddings, redacted } from "./provider-reply.ts";
import { fieldsOf, parsed } from "./reply-fields.ts";

/** Where, as whom and how to call. */
export interface Endpoint {
  readonly baseUrl: string;
  /** Null where none is asked for, or where `fetch` adds what identifies us. */
  readonly key: string | null;
  /** Sends the requests; plain and bounded when absent. */
  readonly fetch?: typeof fetch;
  /** Fields of this provider's own in the body of every question. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Whether the provider sells tiers. */
  readonly tiers?: true;
  /** What its models are thought to take before they have refused anything; all there is when absent. */
  readonly dialect?: Dialect;
  /** What the provider calls a model; as given when absent. */
  readonly modelName?: (model: string) => string;
}

/** The SDK keeps of a refusal what stands under `error` alone: what stands elsewhere is put there. */
const withErrorObjects =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (response.ok) return response;
    const { status, headers } = response;
    const text = await response.text();
    const body = fieldsOf(parsed(text));
    const known = typeof body["error"] === "object" && body["error"] !== null;
    return new Response(bodiless.has(status) ? null : known ? text : JSON.stringify({ error: body }), {
      status,
      headers,
    });
  };

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
    fetch: send = boundedFetch,
    extra = {},
    tiers,
    dialect: first = strictDialect,
    modelName = as,
  }: Endpoint,
  now: () => number,
): ProviderClient => {
  // Each setting the SDK would else take from the environment is given: nothing but the operator's parameters decides.
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: key ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    ...(key === null && { defaultHeaders: { authorization: null } }),
    logLevel: "off",
    maxRetries: 0,
    fetch: withErrorObjects(send),
  });
  const write = chatBodyWriter(extra);
  const { complete, sampling } = learning(first, now, async ({ timeout, tier, ...request }, dialect) => {
    try {
      const asked = { ...request, model: modelName(request.model), ...(tiers && tier && { tier }) };
      const reply: unknown = await client.post("/chat/completions", {
        body: write(asked, dialect),
        headers: { "content-type": "application/json" },
        timeout,
      });
      return redacted(key, readChatCompletion(reply));
    } catch (error) {
      return callFailure(error, now());
    }
  });
  const embed =
    (model: string): Embed =>
    async ({ texts, timeout }) => {
      try {
        const reply: unknown = await client.embeddings.create(
          { model: modelName(model), input: [...texts], encoding_format: "float" },
          { timeout },
        );
        return readEmbeddings(reply, texts.length);
      } catch (error) {
        return callFailure(error, now());
      }
    };
  return { complete, sampling, embed };
};
