import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Span } from "../../domain/traces/trace.ts";
import { isList, parseEmbeddedJson } from "../attributes/embedded-json.ts";
import { argumentsIn, resultIn } from "./arguments.ts";
import { withoutConstructors } from "./langchain.ts";
import { areMessages, messagesOf } from "./messages.ts";
import { toolResultValue } from "./parts.ts";
import { replyIn } from "./replies.ts";
import { requestIn, graphStateIn } from "./requests.ts";
import { vectorText, vectorsIn } from "./vectors.ts";

/** Input or output of a span, unwrapped according to the span's kind. */
export interface NormalizedContent {
  readonly value: Json;
  /** True if `value` contains less than the original, which is then stored in `otel.attributes`. */
  readonly isLossy: boolean;
  /** Model settings that the original contains beside the messages. */
  readonly settings?: JsonObject;
}

const lossless = (value: Json): NormalizedContent => ({ value, isLossy: false });
const lossy = (value: Json, settings?: JsonObject): NormalizedContent => ({
  value,
  isLossy: true,
  ...(settings && { settings }),
});

/** Unwraps an object with a single entry whose key is in `names`; any other value is returned unchanged. */
const unwrapped = (value: Json, ...names: readonly string[]): Json => {
  const [name, ...otherNames] = isObject(value) ? Object.keys(value) : [];
  return isObject(value) && name !== undefined && otherNames.length === 0 && names.includes(name)
    ? (value[name] ?? null)
    : value;
};

/** Returns the content of a tool message, or of a list with a single tool or assistant message; undefined for any other value. */
const onlyMessage = (value: Json): Json | undefined => {
  const [message, ...otherMessages] = messagesOf(isList(value) ? value : [value]) ?? [];
  if (message === undefined || otherMessages.length > 0 || message["tool_calls"] !== undefined) return undefined;
  return message["role"] === "tool" || (isList(value) && message["role"] === "assistant")
    ? message["content"]
    : undefined;
};

/** Converts messages to chat messages; lossy for formats with fields beside the content. Null for a value without messages. */
const conversation = (value: Json): NormalizedContent | null => {
  const messages = messagesOf(value);
  return messages === null ? null : areMessages(value) ? lossless(messages) : lossy(messages);
};

const toolInput = (rawValue: Json): NormalizedContent => {
  const value = argumentsIn(rawValue);
  const content = areMessages(value) ? onlyMessage(value) : undefined;
  return content === undefined ? lossless(value) : lossy(parseEmbeddedJson(content));
};

const toolOutput = (rawValue: Json): NormalizedContent => {
  const value = resultIn(rawValue);
  const content = isList(value) || isObject(value) ? onlyMessage(value) : undefined;
  if (content !== undefined) return lossy(parseEmbeddedJson(toolResultValue(content) ?? null));
  const answer = toolResultValue(value) ?? null;
  return lossless(parseEmbeddedJson(answer));
};

const modelInput = (rawValue: Json): NormalizedContent => {
  const value = argumentsIn(rawValue);
  const request = requestIn(value);
  return request === null ? (conversation(value) ?? lossless(value)) : lossy(request.messages, request.settings);
};

const modelOutput = (rawValue: Json): NormalizedContent => {
  const value = resultIn(rawValue);
  if (areMessages(value)) return conversation(value) ?? lossless(value);
  const reply = replyIn(value);
  return reply === null ? lossless(value) : lossy(reply);
};

const chainInput = (rawValue: Json): NormalizedContent => {
  const value = unwrapped(argumentsIn(rawValue), "input");
  const state = graphStateIn(value);
  if (state === null) return conversation(value) ?? lossless(value);
  const { messages, otherEntries: beside } = state;
  return lossy(Object.keys(beside).length === 0 ? messages : { messages, ...beside });
};

const embeddingInput = (rawValue: Json): NormalizedContent => {
  const value = argumentsIn(rawValue);
  if (!isObject(value)) return lossless(value);
  const texts = value["input"] ?? value["texts"] ?? value["text"];
  const { input: _, texts: __, text: ___, ...settings } = value;
  return texts === undefined ? lossless(value) : lossy(texts, settings);
};

const embeddingOutput = (value: Json): NormalizedContent => {
  const vectors = vectorsIn(value);
  return vectors.length === 0 ? lossless(value) : lossy(vectorText(vectors));
};

const retrieverOutput = (rawValue: Json): NormalizedContent => lossless(unwrapped(resultIn(rawValue), "documents"));

type Kind = Span["kind"];
type Normalizer = (value: Json) => NormalizedContent;

const inputs: Readonly<Record<Kind, Normalizer>> = {
  LLM: modelInput,
  AGENT: chainInput,
  CHAIN: chainInput,
  OTHER: chainInput,
  TOOL: toolInput,
  RETRIEVER: (value) => lossless(argumentsIn(value)),
  EMBEDDING: embeddingInput,
};

const outputs: Readonly<Record<Kind, Normalizer>> = {
  LLM: modelOutput,
  AGENT: modelOutput,
  CHAIN: modelOutput,
  OTHER: modelOutput,
  TOOL: toolOutput,
  RETRIEVER: retrieverOutput,
  EMBEDDING: embeddingOutput,
};

const normalize = (normalizer: Normalizer, value: Json): NormalizedContent => {
  const plain = areMessages(value) ? value : withoutConstructors(value);
  const content = normalizer(plain);
  return plain === value ? content : { ...content, isLossy: true };
};

/** Normalizes the input of a span: extracts messages from model requests and graph states, and unwraps function arguments. */
export const normalizeInput = (kind: Kind, value: Json): NormalizedContent => normalize(inputs[kind], value);

/** Normalizes the output of a span: the assistant's messages of a model's response or a graph's state; vectors become a text. */
export const normalizeOutput = (kind: Kind, value: Json): NormalizedContent => normalize(outputs[kind], value);
