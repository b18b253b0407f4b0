/** Parses inputs and outputs of agents as chat messages: OpenAI, Anthropic and similar formats become one `Message` type. */

type Json = Readonly<Record<string, unknown>>;

/** True if a value is an object other than an array. */
export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface ToolCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: unknown;
}

/** Chat message of any framework, with its role in the framework's own words. */
export interface Message {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

const parseJsonText = (text: unknown): unknown => {
  if (typeof text !== "string" || !/^\s*[[{]/u.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const partText = (part: unknown): string => {
  if (typeof part === "string") return part;
  if (!isObject(part)) return "";
  const { type, text, content } = part;
  if (typeof text === "string") return text;
  if (typeof content === "string") return content;
  return typeof type === "string" && type !== "tool_call" && type !== "tool_use" ? `[${type}]` : "";
};

/** Returns the text of a message's content: a string, a list of parts, or one part. */
const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (Array.isArray(content))
    return content
      .map(partText)
      .filter((text) => text !== "")
      .join("\n");
  if (content === null || content === undefined) return "";
  return isObject(content) ? partText(content) || JSON.stringify(content) : JSON.stringify(content);
};

const callOf = (value: unknown): ToolCall | null => {
  if (!isObject(value)) return null;
  const inner = isObject(value["function"]) ? value["function"] : value;
  const name = inner["name"] ?? value["name"];
  if (typeof name !== "string") return null;
  const id = value["id"] ?? value["tool_call_id"];
  return {
    id: typeof id === "string" ? id : null,
    name,
    arguments: parseJsonText(inner["arguments"] ?? inner["args"] ?? inner["input"] ?? value["arguments"]),
  };
};

const callsOf = ({ tool_calls: calls, content, parts }: Json): readonly ToolCall[] => {
  const toolCalls = Array.isArray(calls) ? calls : [];
  const inContent = [content, parts]
    .flatMap((each) => (Array.isArray(each) ? each : []))
    .filter((part) => isObject(part) && (part["type"] === "tool_use" || part["type"] === "tool_call"));
  return [...toolCalls, ...inContent].flatMap((value) => callOf(value) ?? []);
};

const messageOf = (value: unknown): Message | null => {
  if (!isObject(value)) return null;
  const role = value["role"] ?? value["type"];
  if (typeof role !== "string" || !("content" in value || "parts" in value || "tool_calls" in value)) return null;
  return { role, text: textOf(value["content"] ?? value["parts"]), calls: callsOf(value) };
};

/** Parses a value, or its JSON text, as a list of chat messages; null if it is none. */
export const parseMessages = (value: unknown): readonly Message[] | null => {
  const parsedValue = parseJsonText(value);
  const list = Array.isArray(parsedValue)
    ? parsedValue
    : isObject(parsedValue) && Array.isArray(parsedValue["messages"])
      ? parsedValue["messages"]
      : [parsedValue];
  const messages = list.map(messageOf);
  return messages.length > 0 && messages.every((message) => message !== null) ? messages : null;
};

/** Returns a value's text: the last message, the string, or an object's only string; null for other data. */
export const plainText = (value: unknown): string | null => {
  const messages = parseMessages(value);
  if (messages !== null) return messages.findLast(({ text }) => text !== "")?.text ?? null;
  if (typeof value === "string") return value;
  if (!isObject(value)) return null;
  const texts = Object.values(value).filter((each) => typeof each === "string");
  return Object.keys(value).length === 1 && texts.length === 1 ? (texts[0] ?? null) : null;
};
