import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { isList, parseEmbeddedJson } from "../attributes/embedded-json.ts";
import { toolCall, onlyText, toolMessage, withoutEmptyEntries, withoutProviderFields } from "./chat-message.ts";
import type { MessagePart } from "./message-parts.ts";

type PartReader = (fields: JsonObject) => MessagePart | null;

const textPart = (type: "text" | "reasoning", text: Json | undefined, fields: JsonObject): MessagePart | null => {
  const plainText = typeof text === "string" ? onlyText({ ...fields, text: text }) : null;
  return plainText === null ? null : { type, text: plainText };
};

const textPartReader =
  (type: "text" | "reasoning", ...names: readonly string[]): PartReader =>
  (fields) => {
    const name = names.find((each) => fields[each] !== undefined);
    if (name === undefined) return null;
    const { [name]: text, ...otherFields } = fields;
    return textPart(type, text, otherFields);
  };

const callPart = (
  id: Json | undefined,
  name: Json | undefined,
  args: Json | undefined,
  otherFields: JsonObject,
): MessagePart => ({
  type: "call",
  call: toolCall(id, name, args, otherFields),
});

/** Unwraps the result of a tool from a list of parts if all are text or JSON; any other value is returned unchanged. */
export const toolResultValue = (answer: Json | undefined): Json | undefined => {
  if (!isList(answer) || answer.length === 0) return answer;
  const values = answer.map((part): Json | undefined => {
    if (!isObject(part)) return undefined;
    const { type, text, json, ...otherFields } = withoutEmptyEntries(part);
    if ((type !== undefined && type !== "text" && type !== "json") || Object.keys(otherFields).length > 0)
      return undefined;
    return text === undefined ? json : json === undefined ? text : undefined;
  });
  if (values.some((value) => value === undefined)) return answer;
  if (values.length === 1) return values[0];
  return values.every((value) => typeof value === "string") ? values.join("\n") : values.map((value) => value ?? null);
};

const resultPart = (id: Json | undefined, answer: Json | undefined, otherFields: JsonObject): MessagePart => ({
  type: "result",
  message: toolMessage(id, toolResultValue(answer), otherFields),
});

const without = (fields: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

/** Readers of parts by their `type` field. */
const readersByType: Readonly<Record<string, PartReader>> = {
  text: textPartReader("text", "text", "content"),
  input_text: textPartReader("text", "text"),
  output_text: textPartReader("text", "text"),
  reasoning: textPartReader("reasoning", "content", "text", "reasoning"),
  thinking: (fields) => textPartReader("reasoning", "thinking", "content")(without(fields, "signature")),
  tool_call: ({ id, name, arguments: argumentsField, args = argumentsField, ...otherFields }) =>
    callPart(id, name, args, otherFields),
  tool_use: ({ id, name, input, ...otherFields }) =>
    name === undefined ? null : callPart(id, name, input, withoutEmptyEntries(without(otherFields, "caller"))),
  tool_call_response: ({ id, response, result = response, ...otherFields }) => resultPart(id, result, otherFields),
  tool_result: ({ tool_use_id: id, content, ...otherFields }) =>
    resultPart(id, content, withoutEmptyEntries(otherFields)),
};

/** Readers of the parts of Bedrock and Gemini, which have no `type`, by their single key. */
const readersByKey: Readonly<Record<string, (value: Json) => MessagePart | null>> = {
  text: (value) => textPart("text", value, {}),
  toolUse: (value) => {
    if (!isObject(value)) return null;
    const { toolUseId, name, input, ...otherFields } = value;
    return callPart(toolUseId, name, input, otherFields);
  },
  toolResult: (value) => {
    if (!isObject(value)) return null;
    const { toolUseId, content, status, ...otherFields } = value;
    return resultPart(toolUseId, content, {
      ...otherFields,
      ...(status !== "success" && status !== undefined && { status }),
    });
  },
  reasoningContent: (value) => {
    const inner = isObject(value) ? value["reasoningText"] : undefined;
    return isObject(inner) ? textPart("reasoning", inner["text"], {}) : null;
  },
  functionCall: (value) => (isObject(value) ? callPart(value["id"], value["name"], value["args"], {}) : null),
  functionResponse: (value) =>
    isObject(value)
      ? resultPart(value["id"], value["response"], withoutEmptyEntries({ name: value["name"] ?? null }))
      : null,
};
const aliases: Readonly<Record<string, string>> = {
  function_call: "functionCall",
  function_response: "functionResponse",
};

const readPart = (part: JsonObject): MessagePart | null => {
  const { type, ...fields } = part;
  if (typeof type === "string")
    return Object.hasOwn(readersByType, type) ? (readersByType[type]?.(fields) ?? null) : null;
  const [key, ...otherKeys] = Object.keys(part);
  const name = key === undefined ? "" : (aliases[key] ?? key);
  return key !== undefined && otherKeys.length === 0 && Object.hasOwn(readersByKey, name)
    ? (readersByKey[name]?.(part[key] ?? null) ?? null)
    : null;
};

/** Parts without content, which only set a cache breakpoint. */
const contentlessKeys = new Set(["cachePoint", "cache_point"]);

/**
 * Converts a part of a message of OpenAI, Anthropic, Bedrock, Gemini or OpenTelemetry. Empty for a part without content; `other` for
 * an unknown part.
 */
export const messagePartsOf = (part: Json): readonly MessagePart[] => {
  if (typeof part === "string") return part === "" ? [] : [{ type: "text", text: part }];
  if (!isObject(part)) return [{ type: "other", part }];
  // Fast path: nearly all parts are texts.
  const plain =
    part["type"] === "text" && Object.keys(part).length === 2 ? (part["text"] ?? part["content"]) : undefined;
  if (typeof plain === "string") return [{ type: "text", text: plain }];
  const fields = withoutProviderFields(withoutEmptyEntries(part));
  const names = Object.keys(fields);
  if (names.every((name) => name === "type" || contentlessKeys.has(name))) return [];
  const parsedPart = readPart(part) ?? readPart(fields);
  return [parsedPart ?? { type: "other", part }];
};

/** Converts a tool call of any provider to OpenAI's form; a value that is not a tool call is returned unchanged. */
export const toolCallOf = (value: Json): Json => {
  if (!isObject(value)) return value;
  const {
    id,
    function: functionFields,
    type,
    name,
    arguments: argumentsField,
    args = argumentsField,
    ...otherFields
  } = value;
  if (isObject(functionFields)) {
    const { name: functionName, arguments: text, ...otherFunctionFields } = functionFields;
    return toolCall(
      id,
      functionName,
      parseEmbeddedJson(text ?? null),
      withoutEmptyEntries({ ...otherFields, ...otherFunctionFields }),
    );
  }
  return name === undefined
    ? value
    : toolCall(id, name, args, type === "tool_call" ? withoutEmptyEntries(otherFields) : {});
};

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
