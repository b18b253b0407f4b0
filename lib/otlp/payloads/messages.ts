import type { Json, JsonObject } from "../../domain/json.ts";
import { toolMessage, withoutEmpty } from "../chat-message.ts";
import { messagesOfParts } from "../message-parts.ts";
import { isList, isObject } from "../reader.ts";
import { messagesOfAutoGen } from "./autogen.ts";
import { messageOfLangChain } from "./langchain.ts";
import { calledIn, partsOf, plainAnswer } from "./parts.ts";
import { messagesOfItem } from "./response-items.ts";

/** Roles that go by another name with some. */
const roles: Readonly<Record<string, string>> = {
  model: "assistant",
  ai: "assistant",
  human: "user",
  function: "tool",
};

/** Fields of replies that repeat what the message says, or that are empty in nearly all. */
const asides = new Set(["annotations", "provider_specific_fields"]);

const finished = (reason: Json | undefined): boolean => typeof reason === "string" && !reason.startsWith("tool");

const callsOf = ({ tool_calls: calls, function_call: single }: JsonObject): readonly Json[] => {
  if (isList(calls)) return calls.map(calledIn);
  return isObject(single) ? [calledIn({ function: single })] : [];
};

const besides = (fields: JsonObject): JsonObject => {
  const told: [string, Json][] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== null && !asides.has(key) && !(isList(value) && value.length === 0)) told.push([key, value]);
  }
  return told.length === 0 ? {} : Object.fromEntries(told);
};

const withRole = (message: JsonObject, ofAgent: boolean): readonly JsonObject[] => {
  const { role: given, parts, content = parts, tool_calls: _, function_call: __, ...rest } = message;
  const role = typeof given === "string" ? (roles[given] ?? given) : "user";
  const others = besides(rest);
  const calls = callsOf(message);
  const asked = calls.length > 0 && { tool_calls: calls };
  if (role === "tool" && (!isList(content) || plainAnswer(content) !== content)) return [answerOf(content, others)];
  if (isList(content)) {
    const found = content.flatMap(partsOf);
    // Calls that stand beside the parts and in them are the same.
    const own = calls.length > 0 ? found.filter(({ type }) => type !== "call") : found;
    const answered = ofAgent && finished(others["finish_reason"]);
    return messagesOfParts(role, own, { ...asked, ...others }, answered);
  }
  // A message of calls alone has no content, which some write as text.
  const isSilence = content === "" || (content === "null" && role === "assistant");
  const silent = content === null || content === undefined || isSilence;
  return [{ role, ...(!silent && { content }), ...asked, ...others }];
};

/** What a tool answered: some call the id of its call the message's. */
const answerOf = (content: Json | undefined, { id, tool_call_id: call = id, ...others }: JsonObject): JsonObject =>
  toolMessage(call, plainAnswer(content), others);

/**
 * A message as chat messages, whoever wrote it; null for what is no message.
 *
 * @param ofAgent what an agent put out in the end: the calls in it have been answered.
 */
const messagesOfOne = (message: Json, ofAgent: boolean): readonly JsonObject[] | null => {
  if (!isObject(message)) return null;
  const item = messagesOfItem(message) ?? messagesOfAutoGen(message);
  if (item !== null) return item;
  const plain = messageOfLangChain(message) ?? message;
  return typeof plain["role"] === "string" ? withRole(plain, ofAgent) : null;
};

/** What an assistant did in one go, in items of their own, is one message. */
const together = (messages: readonly JsonObject[]): readonly JsonObject[] => {
  const joined: JsonObject[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const [before, after] = [last?.["tool_calls"], message["tool_calls"]];
    const goesOn =
      last?.["role"] === "assistant" &&
      message["role"] === "assistant" &&
      (last["content"] === undefined || message["content"] === undefined) &&
      message["reasoning"] === undefined &&
      last["finish_reason"] === undefined;
    if (!goesOn) joined.push(message);
    else
      joined[joined.length - 1] = {
        ...last,
        ...message,
        ...(isList(before) && { tool_calls: [...before, ...(isList(after) ? after : [])] }),
      };
  }
  return joined;
};

/** Lists that are chat messages already: several of those who read a span ask for them. */
const read = new WeakSet<readonly Json[]>();

const isRead = (value: readonly Json[]): value is readonly JsonObject[] => read.has(value);

const isItem = (item: Json): boolean =>
  isObject(item) &&
  item["role"] === undefined &&
  typeof item["type"] === "string" &&
  /^(?:function_call|reasoning)/u.test(item["type"]);

/** A list of messages as chat messages: each with a `role`, calls and answers of tools as OpenAI has them. Null for any other value. */
export const messagesOf = (value: Json, ofAgent = false): readonly JsonObject[] | null => {
  if (!isList(value) || value.length === 0) return null;
  if (isRead(value)) return value;
  // LangChain sends a batch: a list of conversations.
  const [only] = value;
  if (value.length === 1 && isList(only)) return messagesOf(only, ofAgent);
  const found: JsonObject[] = [];
  for (const message of value) {
    const said = messagesOfOne(message, ofAgent);
    if (said === null) return null;
    found.push(...said);
  }
  const messages = value.some(isItem) ? together(found) : found;
  read.add(messages);
  return messages;
};

const isMessage = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && "role" in value && typeof value.role === "string";

/** Whether a value is a list of chat messages. */
export const areMessages = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isMessage);

const silent = new Set(["role", "finish_reason"]);

/** Whether a value says something: messages without content, calls or reasoning do not. */
export const saysSomething = (value: unknown): boolean =>
  !areMessages(value) || value.some((message) => Object.keys(withoutEmpty(message)).some((key) => !silent.has(key)));
