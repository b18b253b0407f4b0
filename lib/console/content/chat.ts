import { areMessages, knownRoles } from "../../conventions/payloads/messages.ts";
import { messagesOfOpenInference } from "../../conventions/payloads/chat-messages.ts";
import { replyOfAiSdk } from "../../conventions/payloads/ai-sdk-messages.ts";
import { normalizeInput, normalizeOutput } from "../../conventions/payloads/normalize.ts";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Span } from "../../client/interface.ts";
import { jsonOf, parseText } from "./json.ts";

/** A tool call of a message, with its result if a later message has it. */
export interface MessageCall {
  readonly name: string;
  readonly arguments: Json;
  /** Undefined without a result in the same conversation. */
  readonly result: Json | undefined;
}

/** A message of a conversation with a model. */
export interface ChatMessage {
  /** OpenAI's name of the role, such as `assistant`. */
  readonly role: string;
  /** Name of the agent or tool that the message is from. */
  readonly name: string | null;
  readonly reasoning: string | null;
  /** Text, list of parts, or data; null for a message with tool calls only. */
  readonly content: Json;
  readonly calls: readonly MessageCall[];
}

type Side = "input" | "output";

/** Field of an input or output that has chat messages itself. */
const messagesWithin = (value: Json): readonly JsonObject[] | null => {
  if (areMessages(value)) return value;
  return isObject(value) && areMessages(value["messages"]) ? value["messages"] : null;
};

/** True for a message of any provider; an object with another role, such as arguments of a tool, is data. */
const isMessage = (value: Json): boolean => {
  if (!isObject(value)) return false;
  const { role, type, content, parts = content, tool_calls: calls = parts } = value;
  return calls !== undefined && knownRoles.has(role ?? (type === "message" ? "user" : type));
};

/** Reads messages like `messagesIn`, but takes no object with a field `text` for a reply of the AI SDK: it may be a tool's argument. */
const storedMessages = (value: unknown, kind: Span["kind"], side: Side): readonly JsonObject[] | null => {
  const json = parseText(jsonOf(value));
  if (typeof json !== "object" || json === null) return null;
  const isWrapped = Array.isArray(json) && json.every((each: Json) => isObject(each) && isObject(each["message"]));
  const content = isMessage(json) ? [json] : isWrapped ? json.flatMap(messagesOfOpenInference) : json;
  const normalize = side === "input" ? normalizeInput : normalizeOutput;
  return messagesWithin(normalize(kind, content).value);
};

/**
 * Reads the chat messages in an input or output of any provider or framework, or in its JSON text, in OpenAI's form; null if it has
 * none.
 */
export const messagesIn = (value: unknown, kind: Span["kind"], side: Side): readonly JsonObject[] | null =>
  storedMessages(value, kind, side) ?? (side === "output" ? replyOfAiSdk(parseText(jsonOf(value))) : null);

const nonEmptyText = (value: Json | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null;

interface OpenCall {
  readonly id: Json;
  readonly call: { name: string; arguments: Json; result: Json | undefined };
}

const callOf = (value: Json): OpenCall | null => {
  if (!isObject(value)) return null;
  const fields = value["function"];
  const { name, arguments: args } = isObject(fields) ? fields : value;
  const call = { name: nonEmptyText(name) ?? "tool", arguments: parseText(args ?? null), result: undefined };
  return { id: value["id"] ?? null, call };
};

/** Builds messages with their tool calls; a tool's message becomes the result of its call, by id, else by name, else in order. */
const pairCalls = (messages: readonly JsonObject[]): readonly ChatMessage[] => {
  const chat: ChatMessage[] = [];
  const openCalls: OpenCall[] = [];
  for (const { role, name, reasoning, content = null, tool_calls: toolCalls, tool_call_id: id } of messages) {
    if (role === "tool") {
      const at = [
        openCalls.findIndex((open) => open.id !== null && open.id === id),
        id === undefined ? openCalls.findIndex(({ call }) => call.name === name) : -1,
        id === undefined ? openCalls.findIndex((open) => open.id === null) : -1,
      ].find((index) => index >= 0);
      const [open] = at === undefined ? [] : openCalls.splice(at, 1);
      if (open !== undefined) {
        open.call.result = content;
        continue;
      }
    }
    const calls = (Array.isArray(toolCalls) ? toolCalls : []).flatMap((each: Json) => callOf(each) ?? []);
    openCalls.push(...calls);
    chat.push({
      role: nonEmptyText(role) ?? "user",
      name: nonEmptyText(name),
      reasoning: nonEmptyText(reasoning),
      content,
      calls: calls.map(({ call }) => call),
    });
  }
  return chat;
};

/** An input or output with chat messages. */
export interface Chat {
  readonly messages: readonly ChatMessage[];
  /** Entries beside the messages. */
  readonly others: JsonObject;
}

/** Reads the chat in an input or output of a span; null if it has no messages. */
export const chatIn = (value: unknown, kind: Span["kind"], side: Side): Chat | null => {
  const messages = storedMessages(value, kind, side);
  if (messages === null) return null;
  const json = parseText(jsonOf(value));
  const { messages: stored, ...others } = isObject(json) ? json : {};
  return { messages: pairCalls(messages), others: stored === undefined ? {} : others };
};

/** A model call as a conversation; null for a span without chat messages. */
export interface ModelCall {
  readonly messages: readonly ChatMessage[];
  /** Index of the first message that the model wrote in this call. */
  readonly reply: number;
  /** Settings in the request beside the messages. */
  readonly settings: JsonObject;
}

/** Reads a model call from a span; null if neither its input nor its output has chat messages. */
export const modelCallOf = ({ kind, input, output }: Pick<Span, "kind" | "input" | "output">): ModelCall | null => {
  if (kind !== "LLM") return null;
  const [question, answer] = [messagesIn(input, kind, "input"), messagesIn(output, kind, "output")];
  if (question === null && answer === null) return null;
  const plain = (value: unknown, role: string): readonly JsonObject[] =>
    value === null || value === undefined || value === "" ? [] : [{ role, content: jsonOf(value) }];
  const request = pairCalls(question ?? plain(input, "user"));
  const settings = normalizeInput(kind, parseText(jsonOf(input))).settings ?? {};
  return {
    messages: [...request, ...pairCalls(answer ?? plain(output, "assistant"))],
    reply: request.length,
    settings,
  };
};

/** A part of a message: a text, an image, or other data. */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string }
  | { readonly type: "data"; readonly value: Json };

const dataUrlOf = (media: Json | undefined, data: Json | undefined): string | null =>
  typeof media === "string" && typeof data === "string" && media.startsWith("image/")
    ? `data:${media};base64,${data}`
    : null;

/** Returns the URL of an image in a part of OpenAI, Anthropic, Gemini, OpenInference or the AI SDK; null for another part. */
const imageIn = (part: JsonObject): string | null => {
  const {
    type,
    image_url: imageUrl,
    image,
    source,
    inlineData,
    inline_data: inline = inlineData,
    data,
    mediaType,
  } = part;
  for (const value of [imageUrl, image, source])
    if (isObject(value)) {
      const address = imageIn(value) ?? nonEmptyText(value["url"]) ?? dataUrlOf(value["media_type"], value["data"]);
      if (address !== null) return address;
    }
  if (isObject(inline)) return dataUrlOf(inline["mimeType"] ?? inline["mime_type"], inline["data"]);
  if (typeof imageUrl === "string") return imageUrl;
  if (typeof image === "string" && type === "image")
    return /^(?:data|https?):/u.test(image) ? image : dataUrlOf(mediaType ?? part["mimeType"] ?? "image/png", image);
  return dataUrlOf(mediaType, data);
};

/** Splits the content of a message into its parts. */
export const contentParts = (content: Json): readonly ContentPart[] => {
  if (content === null) return [];
  const parts: readonly Json[] = Array.isArray(content) ? content : [content];
  return parts.map((part): ContentPart => {
    if (typeof part === "string") return { type: "text", text: part };
    if (!isObject(part)) return { type: "data", value: part };
    const url = imageIn(part);
    if (url !== null) return { type: "image", url };
    const { type = "text", text } = part;
    return typeof text === "string" && type === "text" ? { type, text } : { type: "data", value: part };
  });
};

/** Returns the text of a message, with names of types in place of other parts. */
export const contentText = (content: Json): string =>
  contentParts(content)
    .map((part) => {
      if (part.type === "text") return part.text;
      if (part.type === "image") return "[image]";
      const type = isObject(part.value) ? part.value["type"] : undefined;
      return typeof type === "string" ? `[${type}]` : JSON.stringify(part.value);
    })
    .filter((text) => text !== "")
    .join("\n");

/** Returns a value's text: the last message, or the string; null for other data. */
export const messageText = (value: unknown): string | null => {
  const messages = storedMessages(value, "AGENT", "output");
  if (messages === null) return typeof value === "string" ? value : null;
  const texts = messages.map(({ content }) => contentText(content ?? null));
  return texts.findLast((text) => text !== "") ?? null;
};

/** Returns a value's text like `messageText`, or an object's only string; null for other data. */
export const textOfValue = (value: unknown): string | null => {
  const text = messageText(value);
  if (text !== null) return text;
  const json = jsonOf(value);
  const [only, ...others] = isObject(json) ? Object.values(json) : [];
  return typeof only === "string" && others.length === 0 ? only : null;
};
