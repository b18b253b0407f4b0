import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { openAiRoles, toolMessage, withoutBookkeeping, withoutEmptyEntries } from "./chat-message.ts";
import { messagesOfParts, type MessagePart } from "./message-parts.ts";
import { isList, parseEmbeddedJson } from "../attributes/embedded-json.ts";
import { messagesOfAutoGen } from "./autogen.ts";
import { messageOfLangChain } from "./langchain.ts";
import { isItem, toolCallOf, messagePartsOf, toolResultValue, messagesOfItem } from "./parts.ts";

const isFinal = (reason: Json | undefined): boolean => typeof reason === "string" && !reason.startsWith("tool");

const callsOf = ({ tool_calls: calls, function_call: single }: JsonObject): readonly Json[] => {
  if (isList(calls)) return calls.map(toolCallOf);
  return isObject(single) ? [toolCallOf({ function: single })] : [];
};

/** Returns the tool calls in parts that `calls` does not have too, by their ids. */
const unlistedCalls = (parts: readonly MessagePart[], calls: readonly Json[]): readonly JsonObject[] => {
  const ids = new Set(calls.map((call) => (isObject(call) ? call["id"] : undefined)));
  return parts.flatMap((part) =>
    part.type === "call" && part.call["id"] !== undefined && !ids.has(part.call["id"]) ? [part.call] : [],
  );
};

const withRole = (message: JsonObject, isAgentOutput: boolean): readonly JsonObject[] => {
  const { role: sentRole, parts, content = parts, tool_calls: _, function_call: __, ...remainingFields } = message;
  const role = typeof sentRole === "string" ? (openAiRoles[sentRole] ?? sentRole) : "user";
  const messageParts = isList(content) ? content.flatMap(messagePartsOf) : [];
  if (role === "tool" && !messageParts.some((part) => part.type === "result"))
    return [toolMessageOf(content, remainingFields)];
  const { type, ...fields } = withoutBookkeeping(remainingFields);
  const otherFields = type === undefined || type === "message" ? fields : { type, ...fields };
  const calls = callsOf(message);
  if (isList(content)) {
    const callsAreAnswered = isAgentOutput && isFinal(otherFields["finish_reason"]);
    if (calls.length === 0) return messagesOfParts(role, messageParts, otherFields, callsAreAnswered);
    const contentParts = messageParts.filter((part) => part.type !== "call");
    const allCalls = [...calls, ...unlistedCalls(messageParts, calls)];
    return messagesOfParts(role, contentParts, { tool_calls: allCalls, ...otherFields }, callsAreAnswered);
  }
  const toolCallsEntry = calls.length > 0 && { tool_calls: calls };
  // A message with only tool calls has no content; some instrumentations write that as the text `null`.
  const isEmptyText = content === "" || (content === "null" && role === "assistant");
  const hasNoContent = content === null || content === undefined || isEmptyText;
  return [{ role, ...(!hasNoContent && { content }), ...toolCallsEntry, ...otherFields }];
};

/** Converts a message of role `tool`. Some instrumentations put the id of the tool call into `id`. */
const toolMessageOf = (
  content: Json | undefined,
  { id, tool_call_id: call = id, ...otherFields }: JsonObject,
): JsonObject => toolMessage(call, toolResultValue(content), withoutBookkeeping(otherFields));

/** Names of roles, of all providers. */
export const knownRoles: ReadonlySet<Json | undefined> = new Set([
  "assistant",
  "developer",
  "system",
  "tool",
  "user",
  ...Object.keys(openAiRoles),
]);

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
  const item = isItem(message) ? messagesOfItem(message) : messagesOfAutoGen(message);
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
