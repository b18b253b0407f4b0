import { withFlexTier } from "./flex.ts";
import { strictDialect } from "./dialect.ts";
import { openAiProtocol } from "./openai-protocol.ts";
import type { Connector } from "./provider.ts";

/** Connects to OpenAI, or to a server with the same protocol at the stored base URL. */
export const openai: Connector = ({ key = "", baseUrl = "https://api.openai.com/v1" }, { now, dialect }) =>
  withFlexTier(
    "openai",
    openAiProtocol({ key, baseUrl, hasTiers: true, dialect: { ...strictDialect, ...dialect } }, now),
    now,
  );

/** Connects to OpenRouter, restricted to providers that support every parameter: others would silently drop the schema. */
export const openrouter: Connector = ({ key = "", baseUrl = "https://openrouter.ai/api/v1" }, { now, dialect }) =>
  openAiProtocol(
    {
      key,
      baseUrl,
      extraFields: { provider: { require_parameters: true } },
      dialect: { ...strictDialect, ...dialect },
    },
    now,
  );

/**
 * Connects to any server with OpenAI's protocol; the key is optional. Requests begin with the older name of the output token
 * limit, `max_tokens`, because servers that do not know the newer one silently ignore it.
 */
export const custom: Connector = ({ key = null, baseUrl = "" }, { now, dialect }) =>
  openAiProtocol({ key, baseUrl, dialect: { ...strictDialect, limit: "max_tokens", ...dialect } }, now);

/** Error texts of Google for an unknown key, which it answers with 400 instead of 401. */
const invalidKeyPattern = /API_KEY_INVALID|API key not valid|API key expired/u;

const statusOfGemini = (status: number, reply: string): number =>
  status === 400 && invalidKeyPattern.test(reply) ? 401 : status;

/** Connects to Gemini models over the OpenAI-compatible endpoint of the Gemini API. */
export const gemini: Connector = (
  { key = "", baseUrl = "https://generativelanguage.googleapis.com/v1beta/openai" },
  { now, dialect },
) => openAiProtocol({ key, baseUrl, statusOf: statusOfGemini, dialect: { ...strictDialect, ...dialect } }, now);

/**
 * Connects to the offline judge of the local runtime, which has fixed rules. It refuses questions without a rule. On AWS its
 * parameter does not exist, so it is never configured there.
 */
export const offline: Connector = ({ baseUrl = "" }, { now }) => {
  const { complete, ...client } = openAiProtocol({ key: null, baseUrl }, now);
  return {
    ...client,
    complete: async (request) => {
      const completion = await complete(request);
      if (completion.kind === "answer" || completion.code !== "judge_refused") return completion;
      const message = `offline/rules has no rule for the question of ${request.schemaName}: use a real model.`;
      return { ...completion, message };
    },
  };
};
