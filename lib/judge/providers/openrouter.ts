import { openAiProtocol } from "./openai-protocol.ts";
import type { Connector } from "./provider.ts";

/** OpenRouter. Of a model's providers only those that keep to the schema are asked: the others would drop it in silence. */
export const openrouter: Connector = ({ key = "", baseUrl = "https://openrouter.ai/api/v1" }, { now }) =>
  openAiProtocol({ key, baseUrl, extra: { provider: { require_parameters: true } } }, now);
