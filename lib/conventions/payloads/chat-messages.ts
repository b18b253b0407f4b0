import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { withoutEmptyEntries } from "./chat-message.ts";
import { messagesOf } from "./messages.ts";
import { toolCallOf } from "./parts.ts";
import { isList, parseEmbeddedJson } from "../attributes/embedded-json.ts";

/** Converts a message rebuilt from flattened attributes to chat messages; a value in no known form is returned unchanged. */
const normalizeMessage = (message: Json): readonly Json[] => messagesOf([message]) ?? [message];

/** Converts a message of the flattened form of Traceloop and earlier GenAI conventions, whose tool calls are `{id, name, arguments}`. */
export const messagesOfPrompt = (value: Json): readonly Json[] => {
  if (!isObject(value)) return [value];
  const { content, ...otherFields } = value;
  const message: JsonObject = {
    ...otherFields,
    ...(content !== undefined && { content: parseEmbeddedJson(content) }),
  };
  // A completion may consist of a function call alone, without a role.
  return normalizeMessage(
    value["role"] === undefined && value["function_call"] !== undefined ? { role: "assistant", ...message } : message,
  );
};

const unwrapEntry = (value: Json, name: string): Json =>
  isObject(value) && value[name] !== undefined ? value[name] : value;

const unwrapCall = (call: Json): Json => toolCallOf(unwrapEntry(call, "tool_call"));

/** Converts function results, which some instrumentations put beside the message, to chat messages of role `tool`. */
const functionResults = (value: Json): readonly JsonObject[] =>
  (isList(value) ? value : []).flatMap((each) => {
    const answer = parseEmbeddedJson(each);
    if (!isObject(answer)) return [];
    const { content, call_id: id, name, is_error: isError } = answer;
    return [
      withoutEmptyEntries({
        role: "tool",
        tool_call_id: id ?? null,
        name: name ?? null,
        content: parseEmbeddedJson(content ?? null),
        ...(isError === true && { is_error: true }),
      }),
    ];
  });

/** Converts a message of OpenInference's flattened form, in which every object is wrapped in its name: `{message: {...}}`. */
export const messagesOfOpenInference = (value: Json): readonly Json[] => {
  const message = unwrapEntry(value, "message");
  if (!isObject(message)) return [message];
  if (isObject(value) && value["function"] !== undefined && message["content"] === undefined)
    return functionResults(value["function"]);
  const {
    contents,
    content,
    tool_calls: calls,
    function_call_name: name,
    function_call_arguments_json: argumentsJson,
    ...otherFields
  } = message;
  const parts = isList(contents) ? contents : [];
  const callsInParts = parts.flatMap((part) =>
    isObject(part) && part["tool_call"] !== undefined ? [part["tool_call"]] : [],
  );
  const legacyCalls = name === undefined ? [] : [{ name, arguments: argumentsJson ?? null }];
  const toolCalls = (isList(calls) ? calls : [...callsInParts, ...legacyCalls]).map(unwrapCall);
  const messageContent =
    content ?? (isList(contents) ? parts.map((part) => unwrapEntry(part, "message_content")) : undefined);
  return normalizeMessage({
    ...otherFields,
    ...(messageContent !== undefined && {
      content: otherFields["role"] === "tool" ? parseEmbeddedJson(messageContent) : messageContent,
    }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  });
};
