import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { withoutEmptyEntries } from "./chat-message.ts";
import { isList } from "../attributes/reader.ts";

const roles: Readonly<Record<string, string>> = {
  human: "user",
  ai: "assistant",
  system: "system",
  developer: "developer",
  tool: "tool",
  function: "tool",
};

/** Returns the role for a LangChain message type (`ai`) or class name (`AIMessageChunk`). */
const roleOf = (type: Json | undefined): string | undefined =>
  typeof type === "string" ? roles[type.replace(/Message(?:Chunk)?$/u, "").toLowerCase()] : undefined;

/** Fields of LangChain messages that are not content. */
const ignoredKeys = new Set([
  "additional_kwargs",
  "artifact",
  "example",
  "id",
  "invalid_tool_calls",
  "lc",
  "response_metadata",
  "tool_call_chunks",
  "type",
  "usage_metadata",
]);

/** Returns the fields of a LangChain message; a serialized object has them in `kwargs` or `data`. */
const fieldsOf = ({ type, data, lc, kwargs, ...flat }: JsonObject): JsonObject | null => {
  if (lc !== undefined) return isObject(kwargs) ? kwargs : null;
  if (isObject(data)) return { type: type ?? null, ...data };
  return type === undefined ? null : { type, ...flat };
};

/** Converts a LangChain message (`{type, data}`, `{type, content}` or `{lc, kwargs}`) to one with a `role`; null for any other. */
export const messageOfLangChain = (message: JsonObject): JsonObject | null => {
  if (message["role"] !== undefined) return null;
  const fields = fieldsOf(message);
  if (fields === null) return null;
  const { id } = message;
  const role = roleOf(fields["type"]) ?? roleOf(isList(id) ? id.at(-1) : undefined);
  if (role === undefined || fields["content"] === undefined) return null;
  const extra = fields["additional_kwargs"];
  const calls = fields["tool_calls"] ?? (isObject(extra) ? extra["tool_calls"] : undefined);
  const contentEntries = Object.entries(fields).filter(([key]) => !ignoredKeys.has(key) && key !== "tool_calls");
  const chatMessage = withoutEmptyEntries({
    role,
    ...Object.fromEntries(contentEntries),
    ...(calls !== undefined && { tool_calls: calls }),
  });
  const { status, ...withoutStatus } = chatMessage;
  return status === undefined || status === "success" ? withoutStatus : chatMessage;
};
