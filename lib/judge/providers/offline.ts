import { openAiProtocol } from "./openai-protocol.ts";
import type { Connector } from "./provider.ts";

/** The local runtime's rule judge. On AWS its parameter does not exist, so it is not configured there. */
export const offline: Connector = ({ baseUrl = "" }, { now }) => openAiProtocol({ key: null, baseUrl }, now);
