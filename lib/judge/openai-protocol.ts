import OpenAI from "openai";
import { boundedFetch } from "./bounded-fetch.ts";
import { callFailure } from "./call-failure.ts";
import { readChatCompletion } from "./chat-completion.ts";
import type { Complete, Completion } from "./completion.ts";

/** Where and as whom to call. */
export interface Endpoint {
  readonly baseUrl: string;
  /** Null where none is asked for. */
  readonly key: string | null;
}

/** A verdict is a few hundred tokens; models that reason before they answer count that as output too. */
const maxOutputTokens = 8192;

/** Shorter ones are placeholders for servers that want any key; words like those stand in honest answers too. */
const shortestSecret = 16;

/** A reply may repeat the key we sent it; what we keep must not. */
const without = (secret: string | null, completion: Completion): Completion =>
  completion.kind === "answer" && secret !== null && secret.length >= shortestSecret
    ? { ...completion, text: completion.text.replaceAll(secret, "[key]") }
    : completion;

/**
 * Calls of any provider that speaks OpenAI's chat completions with strict JSON schemas.
 *
 * @param now epoch milliseconds, to read a `Retry-After` date against.
 */
export const openAiProtocol = ({ baseUrl, key }: Endpoint, now: () => number): Complete => {
  // Each setting the SDK would else take from the environment is given: nothing but the operator's parameters decides.
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: key ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: "off",
    maxRetries: 0,
    fetch: boundedFetch,
  });
  return async ({ model, system, user, schemaName, schema, timeout }) => {
    try {
      const reply: unknown = await client.chat.completions.create(
        {
          model,
          messages: [
            { role: "system", content: system },
            { role: "user", content: user },
          ],
          response_format: { type: "json_schema", json_schema: { name: schemaName, strict: true, schema } },
          max_completion_tokens: maxOutputTokens,
        },
        { timeout },
      );
      return without(key, readChatCompletion(reply));
    } catch (error) {
      return callFailure(error, now());
    }
  };
};
