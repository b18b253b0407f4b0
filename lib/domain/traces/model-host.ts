import type { JsonObject } from "../json.ts";
import { telemetryKeys } from "./telemetry.ts";

/**
 * Hosts of other makers' open weights, and makers of such weights, by how SDKs and frameworks write them (`groq.chat`, `together_ai`,
 * `api.fireworks.ai`): each has prices of its own. `other` stands for hosts whose prices are not known.
 */
const hosts: readonly (readonly [name: RegExp, host: string])[] = [
  [/openrouter/u, "openrouter"],
  [/groq/u, "groq"],
  [/together/u, "together"],
  [/fireworks/u, "fireworks"],
  [/cerebras/u, "cerebras"],
  [/deepseek/u, "deepseek"],
  [/mistral/u, "mistral"],
  [/moonshot/u, "moonshotai"],
  [/(?:^|[./])z[._-]?ai(?:[./]|$)/u, "zai"],
  [/zhipu|bigmodel/u, "zhipuai"],
  [/minimax/u, "minimax"],
  [
    /ollama|vllm|hugging|deepinfra|nebius|sambanova|hyperbolic|replicate|baseten|novita|ovh|nvidia|perplexity|watsonx|databricks|snowflake/u,
    "other",
  ],
];

/** Returns the host of a provider's name or server, as in the price list; null for makers that serve only their own models. */
export const modelHost = (provider: string): string | null => {
  const name = provider.toLowerCase();
  return hosts.find(([pattern]) => pattern.test(name))?.[1] ?? null;
};

/** Returns the host of a span's model by its metadata; null if the span names none. */
export const hostOfSpan = (metadata: JsonObject | null | undefined): string | null => {
  const [host, provider] = [metadata?.[telemetryKeys.modelHost], metadata?.["gen_ai.provider.name"]];
  if (typeof host === "string") return host;
  return typeof provider === "string" ? modelHost(provider) : null;
};
