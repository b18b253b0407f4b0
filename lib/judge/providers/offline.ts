import { openAiProtocol } from "../openai-protocol.ts";
import type { Provider } from "./provider.ts";

/** The local runtime's rule judge. On AWS its parameter does not exist, so it is not configured there. */
export const offline: Provider = {
  required: ["baseUrl"],
  advice: (parameter) =>
    `it is the local runtime's own judge, whose address is in the SSM parameter ${parameter} there`,
  connect: ({ baseUrl = "" }, now) => openAiProtocol({ key: null, baseUrl }, now),
};
