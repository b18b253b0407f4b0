import type { Json, JsonObject } from "../../domain/json.ts";
import { isList, isObject } from "../reader.ts";
import { messagesOf, saysSomething } from "./messages.ts";
import { stateIn } from "./requests.ts";

type Reply = readonly JsonObject[];

const withReason = (messages: Reply | null, reason: Json | undefined): Reply | null => {
  const last = messages?.at(-1);
  if (messages === null || last === undefined || typeof reason !== "string") return messages;
  return [...messages.slice(0, -1), { finish_reason: reason, ...last }];
};

/** Choices of OpenAI, candidates of Gemini: each a message with the reason why it ended. */
const choices = (value: Json | undefined): Reply | null => {
  if (!isList(value) || value.length === 0) return null;
  const found = value.map((choice) => {
    if (!isObject(choice)) return null;
    const { message, content = message, finish_reason: reason, finishReason = reason } = choice;
    return content === undefined ? null : withReason(messagesOf([content]), finishReason);
  });
  return found.every((each) => each !== null) ? found.flat() : null;
};

/** Generations of LangChain: a list for each prompt, of which one is sent at a time. */
const generations = (value: Json | undefined): Reply | null => {
  const [first] = isList(value) ? value : [];
  const [chosen] = isList(first) ? first : [first];
  if (!isObject(chosen)) return null;
  const { message, text, generation_info: info } = chosen;
  const said = message === undefined ? null : messagesOf([message]);
  if (said !== null) return withReason(said, isObject(info) ? info["finish_reason"] : undefined);
  return typeof text === "string" && text !== "" ? [{ role: "assistant", content: text }] : null;
};

/** What a node of a graph changed of its state: a command, or a list of them. */
const commands = (value: Json): Reply | null => {
  if (isList(value)) {
    const found = value.map((each) => (isObject(each) && each["graph"] !== undefined ? commands(each) : null));
    return found.length > 0 && found.every((each) => each !== null) ? found.flat() : null;
  }
  const update = isObject(value) ? value["update"] : undefined;
  return update === undefined ? null : (stateIn(update)?.messages ?? null);
};

/** From the last thing that the assistant said on; all where it said nothing. */
const fromLastReply = (messages: Reply): Reply => {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return last < 0 ? messages : messages.slice(last);
};

/**
 * What was answered, out of whatever carries it: a provider's response, generations of LangChain, the state of a graph, of
 * which the last message of the assistant is the answer. Null for what is none of them.
 */
export const replyIn = (value: Json): Json | null => {
  const listed = messagesOf(value);
  if (listed !== null) return listed.length === 0 || !saysSomething(listed) ? null : listed;
  const changed = commands(value);
  if (changed !== null) return fromLastReply(changed);
  if (!isObject(value)) return null;
  const state = stateIn(value);
  if (state !== null) {
    const answer = fromLastReply(state.messages);
    return Object.keys(state.beside).length === 0 ? answer : { messages: answer, ...state.beside };
  }
  const { output } = value;
  const responded =
    isList(output) && (value["object"] === "response" || value["usage"] !== undefined) ? messagesOf(output) : null;
  return (
    choices(value["choices"]) ??
    choices(value["candidates"]) ??
    generations(value["generations"]) ??
    responded ??
    replied(value)
  );
};

/** One message, as such or as a provider's response that is one. */
const replied = (value: JsonObject): Reply | null => {
  const { type, stop_reason: reason, role, content } = value;
  if (type === "message" && role !== undefined && content !== undefined)
    return withReason(messagesOf([{ role, content }]), reason);
  const said = messagesOf([value]);
  return said?.every((each) => each["role"] === "assistant") === true ? said : null;
};
