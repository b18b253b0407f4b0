import type { Json } from "../../domain/json.ts";
import { messagesOf } from "../payloads/messages.ts";
import { amount, amountsAt, encodedAt, isList, isObject, jsonAt, type Reader } from "../reader.ts";
import type { Convention } from "./convention.ts";

const all = jsonAt("pydantic_ai.all_messages");

/** Part of the whole conversation of a run, given where the run's own reply begins in it: -1 where it has none. */
const conversation =
  (part: (messages: readonly Json[], reply: number) => readonly Json[]): Reader<Json> =>
  (span) => {
    const found = all(span);
    const messages = found === null ? null : messagesOf(found.value);
    if (found === null || messages === null) return null;
    const first = amount(span.attributes["pydantic_ai.new_message_index"]) ?? 0;
    const before = isList(found.value) ? (messagesOf(found.value.slice(0, first))?.length ?? 0) : 0;
    const reply = messages.findIndex(({ role }, index) => index >= before && role === "assistant");
    const value = part(messages, reply);
    return value.length === 0 ? null : { value, keys: [], kept: found.keys };
  };

const isReply = (message: Json | undefined): boolean => isObject(message) && message["role"] === "assistant";

/** Pydantic AI's agents around their model calls, which are GenAI's. */
export const pydanticAi: Convention = {
  applies: (namespaces, { scope }) => scope.name === "pydantic-ai" || namespaces.has("pydantic_ai"),
  input: [conversation((messages, reply) => (reply < 0 ? messages : messages.slice(0, reply)))],
  output: [
    encodedAt("final_result"),
    conversation((messages, reply) => (reply >= 0 && isReply(messages.at(-1)) ? messages.slice(-1) : [])),
  ],
  usage: [
    amountsAt({
      reasoning_tokens: ["gen_ai.usage.details.reasoning_tokens"],
      cache_read_tokens: ["gen_ai.usage.details.cache_read_tokens"],
      cache_write_tokens: ["gen_ai.usage.details.cache_write_tokens"],
    }),
  ],
  bookkeeping: [
    "agent_name",
    "gen_ai.agent.call.id",
    "gen_ai.aggregated_usage.",
    "gen_ai.usage.details.",
    "model_name",
    "model_request_parameters",
    "pydantic_ai.",
  ],
};
