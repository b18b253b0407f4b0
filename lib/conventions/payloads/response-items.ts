import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { toolCall, toolMessage } from "./chat-message.ts";
import { isList } from "../attributes/reader.ts";

const summaryOf = (summary: Json | undefined): string =>
  isList(summary)
    ? summary.flatMap((part) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : [])).join("\n")
    : "";

/**
 * Converts an item of OpenAI's Responses API that is not a message: a tool call, a tool result, or reasoning. Null for any other
 * object; empty for reasoning without a summary.
 */
export const messagesOfItem = (item: JsonObject): readonly JsonObject[] | null => {
  if (item["role"] !== undefined) return null;
  const { type } = item;
  if (type === "function_call")
    return [{ role: "assistant", tool_calls: [toolCall(item["call_id"], item["name"], item["arguments"])] }];
  if (type === "function_call_output") return [toolMessage(item["call_id"], item["output"], {})];
  if (type !== "reasoning") return null;
  const reasoning = summaryOf(item["summary"]);
  return reasoning === "" ? [] : [{ role: "assistant", reasoning }];
};
