import type OpenAI from "openai";
import type { APIPromise, ClientOptions } from "openai";
import { CallError, foreignReplyFailure, unreachableFailure } from "./call-failure.ts";
import { postBounded, urlBelow, type JsonReply, type Post, type PostResult } from "./transport.ts";

/** Address and credentials of a server with OpenAI's protocol. */
export interface OpenAiServer {
  readonly baseUrl: string;
  /** API key; null for servers without one, or when `headers` authenticates. */
  readonly key: string | null;
  /** Returns the authentication headers; the key as a bearer token when absent. */
  readonly headers?: Post["headers"] | undefined;
  readonly tokensOf: Post["tokensOf"];
}

/** Gemini's header of a reply that names its service tier; its replies need not. */
const tierHeader = "x-gemini-service-tier";

/** Headers of a reply as the client sees it: servers send JSON under any content type. */
const headersFor = (tier: string): Headers => new Headers({ "content-type": "application/json", [tierHeader]: tier });
const headersWithoutTier = headersFor("");

/** Text of a reply for the client; of a stream, which was not asked for, the reply that its chunks make up. */
const textOf = ({ text, json }: JsonReply): string => (/^\s*[{[]/u.test(text) ? text : (JSON.stringify(json) ?? text));

/** Waits for a reply of the client and the service tier in its header; its errors become failures. */
const settle = async (call: APIPromise<unknown>): Promise<PostResult & { readonly tier?: string | null }> => {
  try {
    const { data: reply, response } = await call.withResponse();
    return reply === undefined ? foreignReplyFailure : { kind: "reply", reply, tier: response.headers.get(tierHeader) };
  } catch (error) {
    if (error instanceof SyntaxError) return foreignReplyFailure;
    const cause = error instanceof Error ? error.cause : null;
    return cause instanceof CallError ? cause.failure : unreachableFailure;
  }
};

/**
 * Creates a function that makes calls through the `openai` package. Bounds, refusals and headers are those of `postBounded`, so
 * that all providers fail alike: the package neither retries nor reads `OPENAI_*` of the environment, whose headers would go to any
 * server, and its `X-Stainless-*` headers are not sent.
 *
 * @param now current time in epoch milliseconds, for a `Retry-After` date.
 */
export const openAiClient = (
  {
    baseUrl,
    key,
    headers = async () => ({ ...(key !== null && { authorization: `Bearer ${key}` }) }),
    tokensOf,
  }: OpenAiServer,
  now: () => number,
) => {
  const fetch = async (url: string, init: Pick<Post, "body" | "signal">) => {
    const result = await postBounded(
      { url: new URL(url), body: init.body, headers, signal: init.signal, tokensOf },
      now,
    );
    if ("kind" in result) throw new CallError(result);
    const tier = result.headers[tierHeader];
    const clientHeaders = typeof tier === "string" ? headersFor(tier) : headersWithoutTier;
    return { ok: true, status: 200, url, body: null, headers: clientHeaders, text: async () => textOf(result) };
  };
  const options: ClientOptions = {
    // The package refuses an empty key; `headers` authenticates.
    apiKey: key || "none",
    baseURL: urlBelow(baseUrl, ".").href,
    maxRetries: 0,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the package sends a text with a signal, and reads no more of a reply.
    fetch: fetch as unknown as NonNullable<ClientOptions["fetch"]>,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    logLevel: "off",
  };
  let client: Promise<OpenAI> | null = null;
  // Loading the package takes 15 ms of CPU, which functions that call other providers are spared.
  const connect = (): Promise<OpenAI> => (client ??= import("openai").then((module) => new module.default(options)));
  return async (send: (client: OpenAI) => APIPromise<unknown>) => settle(send(await connect()));
};
