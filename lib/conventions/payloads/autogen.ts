import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { toolMessage } from "./chat-message.ts";
import { isList } from "../attributes/embedded-json.ts";
import { toolCallOf } from "./parts.ts";

const isOfAutoGen = ({ source, type }: JsonObject): boolean =>
  typeof source === "string" && typeof type === "string" && /(?:Message|Event)$/u.test(type);

const resultsIn = (content: Json | undefined): readonly JsonObject[] =>
  (isList(content) ? content : [])
    .filter(isObject)
    .map(({ call_id: id, name, content: result, is_error: isError }) =>
      toolMessage(id, result, { ...(name !== undefined && { name }), ...(isError === true && { is_error: true }) }),
    );

/**
 * Converts a message or an event of AutoGen's agents to chat messages; null for any other object. Empty for an event without text,
 * tool calls and tool results.
 */
export const messagesOfAutoGen = (message: JsonObject): readonly JsonObject[] | null => {
  if (message["role"] !== undefined || !isOfAutoGen(message)) return null;
  const { source, type, content } = message;
  if (type === "ToolCallExecutionEvent") return resultsIn(content);
  if (type === "ToolCallRequestEvent")
    return isList(content) ? [{ role: "assistant", name: source ?? null, tool_calls: content.map(toolCallOf) }] : [];
  const messageContent = typeof content === "string" || isList(content) ? content : isObject(content) ? content : null;
  if (messageContent === null) return [];
  return [
    source === "user"
      ? { role: "user", content: messageContent }
      : { role: "assistant", name: source ?? null, content: messageContent },
  ];
};

/** The last quoted `content` in the fields of a `repr` text that another field or the end follows; null without one. */
const lastContent = (fields: string): string | null => {
  const contents = ["'", '"'].flatMap((quote) => {
    const name = ` content=${quote}`;
    const end = [...fields.matchAll(/['"](?=$| [a-z_]+=)/gu)].findLast(([mark]) => mark === quote)?.index ?? 0;
    const start = end < name.length ? -1 : fields.lastIndexOf(name, end - name.length);
    return start === -1 ? [] : [{ start, text: fields.slice(start + name.length, end) }];
  });
  return contents.toSorted((a, b) => b.start - a.start)[0]?.text ?? null;
};

/** Parses an AutoGen message from its Python `repr` text; null for any other text. Its parts are searched one by one, in linear time. */
export const messageOfRepr = (text: string): JsonObject | null => {
  const [head, source] = /^id='[^']*' source='([^']*)'/u.exec(text) ?? [];
  const end = / type='(\w+)'$/u.exec(text);
  if (head === undefined || source === undefined || end === null) return null;
  const content = lastContent(text.slice(head.length, end.index));
  if (content === null) return null;
  return { source, type: end[1] ?? "", content: content.replaceAll("\\n", "\n").replaceAll("\\'", "'") };
};
