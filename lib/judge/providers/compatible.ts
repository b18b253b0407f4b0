import { withFlex } from "./flex.ts";
import { strictDialect } from "./dialect.ts";
import { openAiProtocol } from "./openai-protocol.ts";
import type { Connector } from "./provider.ts";

/** OpenAI, or whatever speaks its protocol at the base URL that the operator stored. */
export const openai: Connector = ({ key = "", baseUrl = "https://api.openai.com/v1" }, { now, dialect }) =>
  withFlex(
    "openai",
    openAiProtocol({ key, baseUrl, tiers: true, dialect: { ...strictDialect, ...dialect } }, now),
    now,
  );

/** OpenRouter. Of a model's providers only those that keep to the schema are asked: the others would drop it in silence. */
export const openrouter: Connector = ({ key = "", baseUrl = "https://openrouter.ai/api/v1" }, { now, dialect }) =>
  openAiProtocol(
    {
      key,
      baseUrl,
      extra: { provider: { require_parameters: true } },
      dialect: { ...strictDialect, ...dialect },
    },
    now,
  );

/**
 * A server of the operator's choice that speaks OpenAI's protocol; many want no key. The limit of output tokens has its older
 * name at first: servers that do not know the newer one drop it in silence.
 */
export const custom: Connector = ({ key = null, baseUrl = "" }, { now, dialect }) =>
  openAiProtocol({ key, baseUrl, dialect: { ...strictDialect, limit: "max_tokens", ...dialect } }, now);

/** Google answers 400 to a key it does not know, as to any request that is wrong: 401 is what others call it. */
const keyRefused = /API_KEY_INVALID|API key not valid|API key expired/u;

const withRefusedKey = (status: number, reply: string): number =>
  status === 400 && keyRefused.test(reply) ? 401 : status;

/** Gemini models over the OpenAI-compatible side of the Gemini API. */
export const gemini: Connector = (
  { key = "", baseUrl = "https://generativelanguage.googleapis.com/v1beta/openai" },
  { now, dialect },
) => openAiProtocol({ key, baseUrl, statusOf: withRefusedKey, dialect: { ...strictDialect, ...dialect } }, now);

/**
 * The local runtime's rule judge. On AWS its parameter does not exist, so it is not configured there. It refuses what it has
 * no rule for, and nothing else.
 */
export const offline: Connector = ({ baseUrl = "" }, { now }) => {
  const { complete, ...others } = openAiProtocol({ key: null, baseUrl }, now);
  return {
    ...others,
    complete: async (request) => {
      const completion = await complete(request);
      if (completion.kind === "answer" || completion.code !== "judge_refused") return completion;
      const message = `offline/rules has no rule for the question of ${request.schemaName}: use a real model.`;
      return { ...completion, message };
    },
  };
};
