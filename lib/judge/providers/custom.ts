import { openAiProtocol } from "./openai-protocol.ts";
import type { Connector } from "./provider.ts";

/** A server of the operator's choice that speaks OpenAI's protocol; many want no key. */
export const custom: Connector = ({ key = null, baseUrl = "" }, { now }) => openAiProtocol({ key, baseUrl }, now);
