import { openAiProtocol } from "../openai-protocol.ts";
import type { Provider } from "./provider.ts";

/** OpenAI, or whatever speaks its protocol at the base URL that the operator stored. */
export const openai: Provider = {
  required: ["key"],
  advice: (parameter) => `store its API key in the SSM parameter ${parameter}`,
  connect: ({ key = "", baseUrl = "https://api.openai.com/v1" }, now) => openAiProtocol({ key, baseUrl }, now),
};
