import type { Json, JsonObject } from "../../domain/json.ts";
import { callOf, toolMessage } from "../chat-message.ts";
import { isList, isObject } from "../reader.ts";

const summaryOf = (summary: Json | undefined): string =>
  isList(summary)
    ? summary.flatMap((part) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : [])).join("\n")
    : "";

/**
 * An item of OpenAI's Responses that is no message as one: the call of a tool, what it answered, reasoning. Null for what is
 * none of them; nothing for reasoning that is not told.
 */
export const messagesOfItem = (item: JsonObject): readonly JsonObject[] | null => {
  if (item["role"] !== undefined) return null;
  const { type } = item;
  if (type === "function_call")
    return [{ role: "assistant", tool_calls: [callOf(item["call_id"], item["name"], item["arguments"])] }];
  if (type === "function_call_output") return [toolMessage(item["call_id"], item["output"], {})];
  if (type !== "reasoning") return null;
  const reasoning = summaryOf(item["summary"]);
  return reasoning === "" ? [] : [{ role: "assistant", reasoning }];
};
