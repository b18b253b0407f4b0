import { boundedFetch } from "./bounded-fetch.ts";
import { openAiProtocol } from "./openai-protocol.ts";
import type { Connector } from "./provider.ts";

/** Google answers 400 to a key it does not know, as to any request that is wrong: 401 is what others call it. */
const keyRefused = /API_KEY_INVALID|API key not valid|API key expired/u;

const send: typeof fetch = async (input, init) => {
  const response = await boundedFetch(input, init);
  if (response.status !== 400) return response;
  const body = await response.text();
  const { headers } = response;
  return new Response(body, { status: keyRefused.test(body) ? 401 : 400, headers });
};

/** Gemini models over the OpenAI-compatible side of the Gemini API. */
export const gemini: Connector = (
  { key = "", baseUrl = "https://generativelanguage.googleapis.com/v1beta/openai" },
  { now },
) => openAiProtocol({ key, baseUrl, fetch: send }, now);
