import type { Json, JsonObject } from "../../domain/json.ts";
import type { Span } from "../../domain/traces/trace.ts";
import { isList, isObject, structured } from "../reader.ts";
import { argumentsIn, resultIn } from "./arguments.ts";
import { areMessages, messagesOf } from "./messages.ts";
import { plainAnswer } from "./parts.ts";
import { replyIn } from "./replies.ts";
import { requestIn, stateIn } from "./requests.ts";
import { vectorText, vectorsIn } from "./vectors.ts";

/** What a span was given or gave back, as its kind has it. */
export interface Tidied {
  readonly value: Json;
  /** Whether it says less than what it was made of, which then is kept beside it. */
  readonly lossy: boolean;
  /** Settings of a model's call that stood beside what was asked. */
  readonly settings?: JsonObject;
}

const whole = (value: Json): Tidied => ({ value, lossy: false });
const lossy = (value: Json, settings?: JsonObject): Tidied => ({ value, lossy: true, ...(settings && { settings }) });

/** The one entry of an object that wraps it; the value itself where there is none. */
const unwrapped = (value: Json, ...names: readonly string[]): Json => {
  const [name, ...others] = isObject(value) ? Object.keys(value) : [];
  return isObject(value) && name !== undefined && others.length === 0 && names.includes(name)
    ? (value[name] ?? null)
    : value;
};

/** What the only message in a value says: one of a tool, or in a list of one also the reply that an event tells of. */
const onlyMessage = (value: Json): Json | undefined => {
  const [message, ...others] = messagesOf(isList(value) ? value : [value]) ?? [];
  if (message === undefined || others.length > 0 || message["tool_calls"] !== undefined) return undefined;
  return message["role"] === "tool" || (isList(value) && message["role"] === "assistant")
    ? message["content"]
    : undefined;
};

/** Messages in one form; they say less than those of other forms, which have more beside what was said. */
const conversation = (value: Json): Tidied | null => {
  const said = messagesOf(value);
  return said === null ? null : areMessages(value) ? whole(said) : lossy(said);
};

const toolInput = (given: Json): Tidied => {
  const value = argumentsIn(given);
  const said = areMessages(value) ? onlyMessage(value) : undefined;
  return said === undefined ? whole(value) : lossy(structured(said));
};

const toolOutput = (given: Json): Tidied => {
  const value = resultIn(given);
  const said = isList(value) || isObject(value) ? onlyMessage(value) : undefined;
  if (said !== undefined) return lossy(structured(plainAnswer(said) ?? null));
  const answer = plainAnswer(value) ?? null;
  return whole(structured(answer));
};

const modelInput = (given: Json): Tidied => {
  const value = argumentsIn(given);
  const request = requestIn(value);
  return request === null ? (conversation(value) ?? whole(value)) : lossy(request.messages, request.settings);
};

const replied = (given: Json): Tidied => {
  const value = resultIn(given);
  if (areMessages(value)) return conversation(value) ?? whole(value);
  const reply = replyIn(value);
  return reply === null ? whole(value) : lossy(reply);
};

const chainInput = (given: Json): Tidied => {
  const value = unwrapped(argumentsIn(given), "input");
  const state = stateIn(value);
  if (state === null) return conversation(value) ?? whole(value);
  const { messages, beside } = state;
  return lossy(Object.keys(beside).length === 0 ? messages : { messages, ...beside });
};

const embeddingInput = (given: Json): Tidied => {
  const value = argumentsIn(given);
  if (!isObject(value)) return whole(value);
  const texts = value["input"] ?? value["texts"] ?? value["text"];
  const { input: _, texts: __, text: ___, ...settings } = value;
  return texts === undefined ? whole(value) : lossy(texts, settings);
};

const embeddingOutput = (value: Json): Tidied => {
  const vectors = vectorsIn(value);
  return vectors.length === 0 ? whole(value) : lossy(vectorText(vectors));
};

const retrieverOutput = (given: Json): Tidied => whole(unwrapped(resultIn(given), "documents"));

type Kind = Span["kind"];
type Tidy = (value: Json) => Tidied;

const inputs: Readonly<Record<Kind, Tidy>> = {
  LLM: modelInput,
  AGENT: chainInput,
  CHAIN: chainInput,
  OTHER: chainInput,
  TOOL: toolInput,
  RETRIEVER: (value) => whole(argumentsIn(value)),
  EMBEDDING: embeddingInput,
};

const outputs: Readonly<Record<Kind, Tidy>> = {
  LLM: replied,
  AGENT: replied,
  CHAIN: replied,
  OTHER: replied,
  TOOL: toolOutput,
  RETRIEVER: retrieverOutput,
  EMBEDDING: embeddingOutput,
};

/** What a span of a kind was given: messages out of requests and states, arguments out of their wrapping. */
export const tidyInput = (kind: Kind, value: Json): Tidied => inputs[kind](value);

/** What a span of a kind gave back: the answer out of a response or a state, "20 vectors of 1536" for an embedding's. */
export const tidyOutput = (kind: Kind, value: Json): Tidied => outputs[kind](value);
