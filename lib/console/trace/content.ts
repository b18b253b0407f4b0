/** What agents send, read as a conversation: the message forms that frameworks use come here as one. */

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface ToolCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: unknown;
}

export interface Message {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

const parsedText = (text: unknown): unknown => {
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

/** The text of a message's content, whichever way it is parted. */
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
    arguments: parsedText(inner["arguments"] ?? inner["args"] ?? inner["input"] ?? value["arguments"]),
  };
};

const callsOf = ({ tool_calls: calls, content, parts }: Json): readonly ToolCall[] => {
  const listed = Array.isArray(calls) ? calls : [];
  const inContent = [content, parts]
    .flatMap((each) => (Array.isArray(each) ? each : []))
    .filter((part) => isObject(part) && (part["type"] === "tool_use" || part["type"] === "tool_call"));
  return [...listed, ...inContent].flatMap((value) => callOf(value) ?? []);
};

const messageOf = (value: unknown): Message | null => {
  if (!isObject(value)) return null;
  const role = value["role"] ?? value["type"];
  if (typeof role !== "string" || !("content" in value || "parts" in value || "tool_calls" in value)) return null;
  return { role, text: textOf(value["content"] ?? value["parts"]), calls: callsOf(value) };
};

/** The messages that a value is, or null where it is something else. */
export const messagesIn = (value: unknown): readonly Message[] | null => {
  const read = parsedText(value);
  const list = Array.isArray(read)
    ? read
    : isObject(read) && Array.isArray(read["messages"])
      ? read["messages"]
      : [read];
  const messages = list.map(messageOf);
  return messages.length > 0 && messages.every((message) => message !== null) ? messages : null;
};

/** A value in words, where it is or holds a text; null where it is data. */
export const wordsOf = (value: unknown): string | null => {
  const messages = messagesIn(value);
  if (messages !== null) return messages.findLast(({ text }) => text !== "")?.text ?? null;
  if (typeof value === "string") return value;
  if (!isObject(value)) return null;
  const texts = Object.values(value).filter((each) => typeof each === "string");
  return Object.keys(value).length === 1 && texts.length === 1 ? (texts[0] ?? null) : null;
};
