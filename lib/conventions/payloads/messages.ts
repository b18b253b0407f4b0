import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { toolMessage, withoutEmptyEntries } from "./chat-message.ts";
import { messagesOfParts } from "./message-parts.ts";
import { isList, parseEmbeddedJson } from "../attributes/embedded-json.ts";
import { messagesOfAutoGen } from "./autogen.ts";
import { messageOfLangChain } from "./langchain.ts";
import { toolCallOf, messagePartsOf, toolResultValue, messagesOfItem } from "./parts.ts";

/** Role names of other providers, mapped to those of OpenAI. */
const roles: Readonly<Record<string, string>> = {
  model: "assistant",
  ai: "assistant",
  human: "user",
  function: "tool",
};

/** Fields of replies that duplicate the content or are almost always empty. */
const ignoredFields = new Set(["annotations", "provider_specific_fields"]);

const isFinal = (reason: Json | undefined): boolean => typeof reason === "string" && !reason.startsWith("tool");

const callsOf = ({ tool_calls: calls, function_call: single }: JsonObject): readonly Json[] => {
  if (isList(calls)) return calls.map(toolCallOf);
  return isObject(single) ? [toolCallOf({ function: single })] : [];
};

const otherFieldsOf = (fields: JsonObject): JsonObject => {
  const entries: [string, Json][] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== null && !ignoredFields.has(key) && !(isList(value) && value.length === 0)) entries.push([key, value]);
  }
  return entries.length === 0 ? {} : Object.fromEntries(entries);
};

const withRole = (message: JsonObject, isAgentOutput: boolean): readonly JsonObject[] => {
  const { role: sentRole, parts, content = parts, tool_calls: _, function_call: __, ...remainingFields } = message;
  const role = typeof sentRole === "string" ? (roles[sentRole] ?? sentRole) : "user";
  const otherFields = otherFieldsOf(remainingFields);
  const calls = callsOf(message);
  const toolCallsEntry = calls.length > 0 && { tool_calls: calls };
  if (role === "tool" && (!isList(content) || toolResultValue(content) !== content))
    return [toolMessageOf(content, otherFields)];
  if (isList(content)) {
    const messageParts = content.flatMap(messagePartsOf);
    // Tool calls listed both in `tool_calls` and in the parts are the same calls.
    const contentParts = calls.length > 0 ? messageParts.filter(({ type }) => type !== "call") : messageParts;
    const callsAreAnswered = isAgentOutput && isFinal(otherFields["finish_reason"]);
    return messagesOfParts(role, contentParts, { ...toolCallsEntry, ...otherFields }, callsAreAnswered);
  }
  // A message with only tool calls has no content; some instrumentations write that as the text `null`.
  const isEmptyText = content === "" || (content === "null" && role === "assistant");
  const hasNoContent = content === null || content === undefined || isEmptyText;
  return [{ role, ...(!hasNoContent && { content }), ...toolCallsEntry, ...otherFields }];
};

/** Converts a message of role `tool`. Some instrumentations put the id of the tool call into `id`. */
const toolMessageOf = (
  content: Json | undefined,
  { id, tool_call_id: call = id, ...otherFields }: JsonObject,
): JsonObject => toolMessage(call, toolResultValue(content), otherFields);

const knownRoles = new Set(["assistant", "developer", "system", "tool", "user", ...Object.keys(roles)]);

/** Converts a tool's message of Langfuse's handler for LangChain.js, whose role is the name of the tool; null for any other. */
const toolMessageOfLangfuse = ({ role, content, additional_kwargs: extra, ...rest }: JsonObject): JsonObject | null => {
  if (content === undefined || !isObject(extra) || Object.keys(rest).length > 0) return null;
  if (role === undefined) return { role: "tool", content };
  return typeof role === "string" && !knownRoles.has(role) ? { role: "tool", name: role, content } : null;
};

/**
 * Converts a message of any provider or framework to chat messages; null for a value that is not a message.
 *
 * @param isAgentOutput true for the final output of an agent, whose tool calls have all been answered.
 */
const messagesOfOne = (sent: Json, isAgentOutput: boolean): readonly JsonObject[] | null => {
  const message = parseEmbeddedJson(sent);
  if (!isObject(message)) return null;
  const item = messagesOfItem(message) ?? messagesOfAutoGen(message);
  if (item !== null) return item;
  const plain = messageOfLangChain(message) ?? toolMessageOfLangfuse(message) ?? message;
  return typeof plain["role"] === "string" ? withRole(plain, isAgentOutput) : null;
};

/** Merges consecutive assistant items (reasoning, tool calls, text) into one message. */
const mergeAssistantItems = (messages: readonly JsonObject[]): readonly JsonObject[] => {
  const joined: JsonObject[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const [before, after] = [last?.["tool_calls"], message["tool_calls"]];
    const continuesLast =
      last?.["role"] === "assistant" &&
      message["role"] === "assistant" &&
      (last["content"] === undefined || message["content"] === undefined) &&
      message["reasoning"] === undefined &&
      last["finish_reason"] === undefined;
    if (!continuesLast) joined.push(message);
    else
      joined[joined.length - 1] = {
        ...last,
        ...message,
        ...(isList(before) && { tool_calls: [...before, ...(isList(after) ? after : [])] }),
      };
  }
  return joined;
};

/** Lists that are already converted to chat messages, as several readers convert the same list. */
const convertedLists = new WeakSet<readonly Json[]>();

const isConverted = (value: readonly Json[]): value is readonly JsonObject[] => convertedLists.has(value);

const isItem = (item: Json): boolean =>
  isObject(item) &&
  item["role"] === undefined &&
  typeof item["type"] === "string" &&
  /^(?:function_call|reasoning)/u.test(item["type"]);

/**
 * Converts a list of messages, of which each or all may be JSON in a text, to chat messages: each has a `role`, and tool calls and results
 * have OpenAI's form. Null for any other value.
 */
export const messagesOf = (sent: Json, isAgentOutput = false): readonly JsonObject[] | null => {
  const value = parseEmbeddedJson(sent);
  if (!isList(value) || value.length === 0) return null;
  if (isConverted(value)) return value;
  // LangChain records a batch, a list of conversations; a batch of one is read as its conversation.
  const [only] = value;
  if (value.length === 1 && isList(only)) return messagesOf(only, isAgentOutput);
  const converted: JsonObject[] = [];
  for (const message of value) {
    const chatMessages = messagesOfOne(message, isAgentOutput);
    if (chatMessages === null) return null;
    converted.push(...chatMessages);
  }
  const messages = value.some(isItem) ? mergeAssistantItems(converted) : converted;
  convertedLists.add(messages);
  return messages;
};

const isMessage = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && "role" in value && typeof value.role === "string";

/** True if a value is a non-empty list of chat messages. */
export const areMessages = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isMessage);

const contentlessKeys = new Set(["role", "finish_reason"]);

/** False for messages without content, calls and reasoning; true for any other value. */
export const hasContent = (value: unknown): boolean =>
  !areMessages(value) ||
  value.some((message) =>
    Object.entries(withoutEmptyEntries(message)).some(([key, entry]) => !contentlessKeys.has(key) && entry !== ""),
  );
