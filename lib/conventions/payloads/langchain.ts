import { isObject, stringOrEmpty, type Json, type JsonObject } from "../../domain/json.ts";
import { openAiRoles, withoutBookkeeping } from "./chat-message.ts";
import { isList } from "../attributes/embedded-json.ts";

/** Returns the role for a LangChain message type (`ai`) or class name (`AIMessageChunk`). */
const roleOf = (type: Json | undefined): string | undefined => {
  const name = /^(ai|developer|function|human|system|tool)(?:Message(?:Chunk)?)?$/iu.exec(stringOrEmpty(type))?.[1];
  return name && (openAiRoles[name.toLowerCase()] ?? name.toLowerCase());
};

/** Fields of LangChain messages that are not content, beside those of `withoutBookkeeping`. */
const ignoredKeys = new Set(
  (
    "additional_kwargs artifact chunk_position example invalid_tool_calls lc " +
    "metadata response_metadata tool_call_chunks type usage_metadata"
  ).split(" "),
);

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
  return withoutBookkeeping({
    role,
    ...Object.fromEntries(contentEntries),
    ...(calls !== undefined && { tool_calls: calls }),
  });
};

/** Replaces an object that LangChain serialized with its constructor: by a chat message, by its fields, or by its name if it has none. */
const fromConstructor = ({ lc, kwargs, ...rest }: JsonObject): Json | undefined => {
  if (lc === undefined) return undefined;
  const { id } = rest;
  if (isObject(kwargs)) return messageOfLangChain({ lc, kwargs, ...rest }) ?? kwargs;
  return rest["type"] === "not_implemented" && isList(id) ? id.at(-1) : undefined;
};

/** Replaces the serialized objects of LangChain (`{lc, type, id, kwargs}`) in a value, at any depth; the same value if it has none. */
export const withoutConstructors = (value: Json): Json => {
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  if (isList(value)) {
    const items = value.map(withoutConstructors);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isObject(value)) return value;
  const replacement = fromConstructor(value);
  if (replacement !== undefined) return withoutConstructors(replacement);
  const entries = Object.entries(value).map(([key, child]) => [key, withoutConstructors(child)] as const);
  return entries.every(([key, child]) => child === value[key]) ? value : Object.fromEntries(entries);
};
