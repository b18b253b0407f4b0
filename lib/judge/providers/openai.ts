import { openAiProtocol } from "./openai-protocol.ts";
import type { Connector } from "./provider.ts";

/** OpenAI, or whatever speaks its protocol at the base URL that the operator stored. */
export const openai: Connector = ({ key = "", baseUrl = "https://api.openai.com/v1" }, { now }) =>
  openAiProtocol({ key, baseUrl }, now);
