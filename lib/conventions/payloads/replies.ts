import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { isList } from "../attributes/embedded-json.ts";
import { messagesOf, hasContent } from "./messages.ts";
import { graphStateIn } from "./requests.ts";

type Reply = readonly JsonObject[];

const withReason = (messages: Reply | null, reason: Json | undefined): Reply | null => {
  const last = messages?.at(-1);
  if (messages === null || last === undefined || typeof reason !== "string") return messages;
  return [...messages.slice(0, -1), { finish_reason: reason, ...last }];
};

/** Converts OpenAI's choices or Gemini's candidates to messages with their finish reasons; null for any other value. */
const choices = (value: Json | undefined): Reply | null => {
  if (!isList(value) || value.length === 0) return null;
  const replies = value.map((choice) => {
    if (!isObject(choice)) return null;
    const { message, content = message, finish_reason: reason, finishReason = reason } = choice;
    return content === undefined ? null : withReason(messagesOf([content]), finishReason);
  });
  return replies.every((each) => each !== null) ? replies.flat() : null;
};

/** Converts LangChain's generations, a list per prompt, to messages. Only the first prompt is read, since one is sent at a time. */
const generations = (value: Json | undefined): Reply | null => {
  const [first] = isList(value) ? value : [];
  const [generation] = isList(first) ? first : [first];
  if (!isObject(generation)) return null;
  const { message, text, generation_info: info } = generation;
  const messages = message === undefined ? null : messagesOf([message]);
  if (messages !== null) return withReason(messages, isObject(info) ? info["finish_reason"] : undefined);
  return typeof text === "string" && text !== "" ? [{ role: "assistant", content: text }] : null;
};

/**
 * Returns the messages in the state update of a LangGraph command, in the state that a `Send` passes on, or in a list of these; null
 * for any other value.
 */
const commands = (value: Json): Reply | null => {
  if (isList(value)) {
    const replies = value.map((each) =>
      isObject(each) && (each["graph"] !== undefined || each["lg_name"] !== undefined) ? commands(each) : null,
    );
    return replies.length > 0 && replies.every((each) => each !== null) ? replies.flat() : null;
  }
  const update = isObject(value) ? (value["lg_name"] === "Send" ? value["args"] : value["update"]) : undefined;
  return update === undefined ? null : (graphStateIn(update)?.messages ?? null);
};

/** Returns the last assistant message and all messages after it; all messages without an assistant message. */
const fromLastReply = (messages: Reply): Reply => {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return last < 0 ? messages : messages.slice(last);
};

/**
 * Extracts the assistant's messages from a provider's response, from generations of LangChain, or from the state of a graph (the
 * last assistant message). Null for any other value.
 */
export const replyIn = (value: Json): Json | null => {
  const messages = messagesOf(value);
  if (messages !== null) return messages.length === 0 || !hasContent(messages) ? null : messages;
  const updatedMessages = commands(value);
  if (updatedMessages !== null) return fromLastReply(updatedMessages);
  if (!isObject(value)) return null;
  const state = graphStateIn(value);
  if (state !== null) {
    const answer = fromLastReply(state.messages);
    return Object.keys(state.otherEntries).length === 0 ? answer : { messages: answer, ...state.otherEntries };
  }
  const { output } = value;
  const responseOutput =
    isList(output) && (value["object"] === "response" || value["usage"] !== undefined) ? messagesOf(output) : null;
  return (
    choices(value["choices"]) ??
    choices(value["candidates"]) ??
    generations(value["generations"]) ??
    responseOutput ??
    messageReply(value)
  );
};

/** Converts an assistant message or a response of Anthropic's form (`type: "message"`); null for any other object. */
const messageReply = (value: JsonObject): Reply | null => {
  const { type, stop_reason: reason, role, content } = value;
  if (type === "message" && role !== undefined && content !== undefined)
    return withReason(messagesOf([{ role, content }]), reason);
  const messages = messagesOf([value]);
  return messages?.every((each) => each["role"] === "assistant") === true ? messages : null;
};
