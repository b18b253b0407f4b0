import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { toolMessage } from "./chat-message.ts";
import { isList } from "../attributes/reader.ts";
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

const messageRepr =
  /^id='[^']*' source='(?<source>[^']*)'.* content=(?<quote>['"])(?<content>.*)\k<quote>(?: [a-z_]+=.*)? type='(?<type>\w+)'$/su;

/** Parses an AutoGen message from its Python `repr` text; null for any other text. */
export const messageOfRepr = (text: string): JsonObject | null => {
  const { source, content, type } = messageRepr.exec(text)?.groups ?? {};
  if (source === undefined || content === undefined || type === undefined) return null;
  return { source, type, content: content.replaceAll("\\n", "\n").replaceAll("\\'", "'") };
};
