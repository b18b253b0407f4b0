import { isObject, type Json } from "../domain/json.ts";
import { messagesOf } from "./payloads/messages.ts";
import { isList } from "./attributes/embedded-json.ts";
import { documentedAs, nonNegativeNumber, encodedAt, jsonAt, type Reader, amountsAt } from "./attributes/reader.ts";
import type { Convention } from "./convention.ts";

const allMessages = jsonAt("pydantic_ai.all_messages");

/**
 * Reads a part of the conversation of an agent run.
 *
 * @param description of the part, for documentation.
 * @param part function that selects the messages of the part; `reply` is the index of the run's first assistant message, or -1.
 */
const conversation = (
  description: string,
  part: (messages: readonly Json[], reply: number) => readonly Json[],
): Reader<Json> =>
  documentedAs([`(${description} in \`pydantic_ai.all_messages\`)`], (span) => {
    const result = allMessages(span);
    const messages = result === null ? null : messagesOf(result.value);
    if (result === null || messages === null) return null;
    const first = nonNegativeNumber(span.attributes["pydantic_ai.new_message_index"]) ?? 0;
    const before = isList(result.value) ? (messagesOf(result.value.slice(0, first))?.length ?? 0) : 0;
    const reply = messages.findIndex(({ role }, index) => index >= before && role === "assistant");
    const value = part(messages, reply);
    return value.length === 0 ? null : { value, keys: [], retainedKeys: result.keys };
  });

const isReply = (message: Json | undefined): boolean => isObject(message) && message["role"] === "assistant";

/** Attributes of Pydantic AI's agent spans; its model calls follow the GenAI conventions. */
export const pydanticAi: Convention = {
  product: "Pydantic AI",
  applies: (namespaces, { scope }) => scope.name === "pydantic-ai" || namespaces.has("pydantic_ai"),
  input: [
    conversation("the messages before the reply", (messages, reply) =>
      reply < 0 ? messages : messages.slice(0, reply),
    ),
  ],
  output: [
    encodedAt("final_result"),
    conversation("the reply at the end", (messages, reply) =>
      reply >= 0 && isReply(messages.at(-1)) ? messages.slice(-1) : [],
    ),
  ],
  cost: [amountsAt({ total: ["operation.cost"] })],
  bookkeeping: [
    "agent_name",
    "gen_ai.agent.call.id",
    "gen_ai.aggregated_usage.",
    "model_name",
    "model_request_parameters",
    "pydantic_ai.",
  ],
};
