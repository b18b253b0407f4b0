import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { isList } from "../attributes/embedded-json.ts";
import { toolCall, toolMessage, withoutBookkeeping, withoutEmptyEntries } from "./chat-message.ts";
import { messagesOfParts, type MessagePart } from "./message-parts.ts";

type PartReader = (fields: JsonObject) => MessagePart | null;

/** Returns a text, the text in `text` or `value` of an object, or those of a list, one per line; null for any other value. */
const plainText = (value: Json | undefined): string | null => {
  if (typeof value === "string") return value;
  if (isObject(value)) return plainText(value["text"] ?? value["value"]);
  if (!isList(value) || value.length === 0) return null;
  const texts = value.map(plainText);
  return texts.every((text) => text !== null) ? texts.join("\n") : null;
};

const textPartReader =
  (type: "text" | "reasoning", ...names: readonly string[]): PartReader =>
  (fields) => {
    const name = names.find((each) => plainText(fields[each]) !== null);
    if (name === undefined) return null;
    const { [name]: value, ...rest } = fields;
    const otherFields = withoutBookkeeping(rest);
    const text = plainText(value) ?? "";
    return Object.keys(otherFields).length === 0 ? { type, text } : { type, text, otherFields };
  };

/** Unwraps the output of a tool of Vercel's AI SDK from `{type: "text" | "json", value}`; any other value is returned unchanged. */
const unwrapOutput = (output: Json | undefined): Json | undefined => {
  if (!isObject(output)) return output;
  const { type, value, ...rest } = output;
  const isWrapped = (type === "text" || type === "json") && Object.keys(withoutBookkeeping(rest)).length === 0;
  return isWrapped && value !== undefined ? value : output;
};

/** Unwraps the result of a tool from a list of parts if all are text or JSON; any other value is returned unchanged. */
export const toolResultValue = (answer: Json | undefined): Json | undefined => {
  if (!isList(answer) || answer.length === 0) return unwrapOutput(answer);
  const values = answer.map((part): Json | undefined => {
    if (!isObject(part)) return undefined;
    const { type, json, ...fields } = part;
    if (type === "text") {
      const read = readTyped(type, fields);
      return read?.type === "text" && read.otherFields === undefined ? read.text : undefined;
    }
    // Objects without a type may be a tool's own data.
    const { text = json, ...otherFields } = withoutEmptyEntries(fields);
    return (type === undefined || type === "json") && Object.keys(otherFields).length === 0 ? text : undefined;
  });
  if (values.some((value) => value === undefined)) return answer;
  if (values.length === 1) return values[0];
  return values.every((value) => typeof value === "string") ? values.join("\n") : values.map((value) => value ?? null);
};

/** Reads the fields of a tool call in the spelling of any provider. */
const callOf = ({
  toolUseId,
  toolCallId = toolUseId,
  tool_call_id: callId = toolCallId,
  call_id: id = callId,
  id: ownId,
  toolName,
  name = toolName,
  toolInput,
  action = toolInput,
  input = action,
  args = input,
  arguments: sentArguments = args,
  partial_json: streamedJson,
  ...otherFields
}: JsonObject): JsonObject => {
  const isStreamed = streamedJson !== undefined && isObject(sentArguments) && Object.keys(sentArguments).length === 0;
  return toolCall(id ?? ownId, name, isStreamed ? streamedJson : sentArguments, withoutBookkeeping(otherFields));
};

/** Converts a tool call of Vercel's AI SDK, whose fields depend on its version, to OpenAI's form. */
export const aiSdkCall = (call: JsonObject): JsonObject => {
  const { type: _, ...fields } = call;
  return callOf(fields);
};

const callPart: PartReader = (fields) => ({ type: "call", call: callOf(fields) });

/** Reads the fields of a tool's result in the spelling of any provider. */
const resultPart: PartReader = ({
  toolCallId,
  tool_call_id: callId = toolCallId,
  call_id: calledId = callId,
  toolUseId = calledId,
  tool_use_id: useId = toolUseId,
  id,
  toolName,
  name = toolName,
  content,
  response = content,
  output = response,
  result = output,
  ...otherFields
}) => ({
  type: "result",
  message: toolMessage(
    useId ?? id,
    toolResultValue(result),
    withoutBookkeeping({ ...(name !== undefined && { name }), ...otherFields }),
  ),
});

/** Readers of parts by their `type` field. */
const readersByType: Readonly<Record<string, PartReader>> = {
  text: textPartReader("text", "text", "content"),
  input_text: textPartReader("text", "text"),
  output_text: textPartReader("text", "text"),
  refusal: textPartReader("text", "refusal"),
  reasoning: textPartReader("reasoning", "content", "text", "reasoning", "summary"),
  thinking: textPartReader("reasoning", "thinking", "content"),
  summary_text: textPartReader("reasoning", "text"),
  reasoning_text: textPartReader("reasoning", "text"),
};

const callType = /(?:_use|[_-]call|_call_chunk)$/u;
const resultType = /(?:_call_response|_call_output|[_-]result)$/u;

/** Reads a part by its type: calls of a provider's own tools (`web_search_call`) have the tool's name in it. */
const readTyped = (type: string, fields: JsonObject): MessagePart | null => {
  if (Object.hasOwn(readersByType, type)) return readersByType[type]?.(fields) ?? null;
  if (resultType.test(type)) return resultPart(fields);
  const tool = callType.test(type) ? type.replace(callType, "") : "";
  const isGeneral = /(?:^|_)(?:tool|function)$/u.test(tool);
  if (tool === "" || (isGeneral && fields["name"] === undefined && fields["toolName"] === undefined)) return null;
  return callPart(isGeneral ? fields : { name: tool, ...fields });
};

/** Readers of the parts of Bedrock and Gemini, which have no `type`, by the key that has the content. */
const readersByKey: Readonly<Record<string, PartReader>> = {
  toolUse: callPart,
  toolResult: resultPart,
  reasoningContent: textPartReader("reasoning", "reasoningText"),
  functionCall: callPart,
  function_call: callPart,
  functionResponse: resultPart,
  function_response: resultPart,
  text: textPartReader("text", "text"),
};

/** Reads a part without a type by the key that has the content; Gemini's reasoning is a text with the mark `thought`. */
const readUntyped = (part: JsonObject): MessagePart | null => {
  const key = Object.keys(readersByKey).find((each) => part[each] !== undefined && part[each] !== null);
  if (key === undefined) return null;
  const { [key]: value, thought, ...rest } = part;
  if (Object.keys(withoutBookkeeping(rest)).length > 0) return null;
  const read = readersByKey[key]?.(isObject(value) ? value : { [key]: value ?? null }) ?? null;
  return read?.type === "text" && thought === true ? { ...read, type: "reasoning" } : read;
};

const readPart = ({ type, ...fields }: JsonObject): MessagePart | null =>
  typeof type === "string" ? readTyped(type, fields) : readUntyped(fields);

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
  const parsedPart = readPart(part);
  if (parsedPart !== null) return [parsedPart];
  // Encrypted reasoning and breakpoints of a cache have no content.
  const isContentless = Object.keys(withoutBookkeeping(part)).every((name) => name === "type");
  return isContentless || part["type"] === "redacted_thinking" ? [] : [{ type: "other", part }];
};

/** Converts a tool call of any provider to OpenAI's form; a value that is not a tool call is returned unchanged. */
export const toolCallOf = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { function: functionFields, type, ...fields } = value;
  if (isObject(functionFields)) return callOf({ ...fields, ...functionFields });
  return fields["name"] === undefined
    ? value
    : callOf(
        type === "tool_call"
          ? fields
          : { id: fields["id"] ?? null, name: fields["name"], args: fields["arguments"] ?? fields["args"] ?? null },
      );
};

/** Types of the items of OpenAI's Responses API that are no messages. */
const itemType = /^(?:reasoning|(?!tool_)\w+_call(?:_output)?)$/u;

/** True for an item of OpenAI's Responses API that is not a message: a tool call, a tool result, or reasoning. */
export const isItem = (item: Json): item is JsonObject =>
  isObject(item) && item["role"] === undefined && typeof item["type"] === "string" && itemType.test(item["type"]);

/** Converts an item of OpenAI's Responses API that is not a message; empty for reasoning without a summary. */
export const messagesOfItem = (item: JsonObject): readonly JsonObject[] =>
  messagesOfParts("assistant", messagePartsOf(item), {});
