import type { Json, JsonObject } from "../../domain/json.ts";
import { withoutEmpty } from "../chat-message.ts";
import { isList, isObject } from "../reader.ts";

const roles: Readonly<Record<string, string>> = {
  human: "user",
  ai: "assistant",
  system: "system",
  developer: "developer",
  tool: "tool",
  function: "tool",
};

/** `AIMessageChunk` and `HumanMessage` are classes. */
const roleOf = (type: Json | undefined): string | undefined =>
  typeof type === "string" ? roles[type.replace(/Message(?:Chunk)?$/u, "").toLowerCase()] : undefined;

/** What LangChain keeps beside what was said. */
const asides = new Set([
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

/** A serialized object of LangChain has its fields in `kwargs`. */
const fieldsOf = ({ type, data, lc, kwargs, ...flat }: JsonObject): JsonObject | null => {
  if (lc !== undefined) return isObject(kwargs) ? kwargs : null;
  if (isObject(data)) return { type: type ?? null, ...data };
  return type === undefined ? null : { type, ...flat };
};

/** A message of LangChain, in any of its forms (`{type, data}`, `{type, content}`, `{lc, kwargs}`), as one with a role. */
export const messageOfLangChain = (message: JsonObject): JsonObject | null => {
  if (message["role"] !== undefined) return null;
  const fields = fieldsOf(message);
  if (fields === null) return null;
  const { id } = message;
  const role = roleOf(fields["type"]) ?? roleOf(isList(id) ? id.at(-1) : undefined);
  if (role === undefined || fields["content"] === undefined) return null;
  const extra = fields["additional_kwargs"];
  const calls = fields["tool_calls"] ?? (isObject(extra) ? extra["tool_calls"] : undefined);
  const said = Object.entries(fields).filter(([key]) => !asides.has(key) && key !== "tool_calls");
  const plain = withoutEmpty({ role, ...Object.fromEntries(said), ...(calls !== undefined && { tool_calls: calls }) });
  const { status, ...others } = plain;
  return status === undefined || status === "success" ? others : plain;
};
