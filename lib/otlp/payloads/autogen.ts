import type { Json, JsonObject } from "../../domain/json.ts";
import { toolMessage } from "../chat-message.ts";
import { isList, isObject } from "../reader.ts";
import { calledIn } from "./parts.ts";

const isOfAutoGen = ({ source, type }: JsonObject): boolean =>
  typeof source === "string" && typeof type === "string" && /(?:Message|Event)$/u.test(type);

const resultsIn = (content: Json | undefined): readonly JsonObject[] =>
  (isList(content) ? content : [])
    .filter(isObject)
    .map(({ call_id: id, name, content: answer, is_error: failed }) =>
      toolMessage(id, answer, { ...(name !== undefined && { name }), ...(failed === true && { is_error: true }) }),
    );

/**
 * A message or an event of AutoGen's agents as chat messages; null for any other. What has no text, no calls and no results of
 * tools says nothing.
 */
export const messagesOfAutoGen = (message: JsonObject): readonly JsonObject[] | null => {
  if (message["role"] !== undefined || !isOfAutoGen(message)) return null;
  const { source, type, content } = message;
  if (type === "ToolCallExecutionEvent") return resultsIn(content);
  if (type === "ToolCallRequestEvent")
    return isList(content) ? [{ role: "assistant", name: source ?? null, tool_calls: content.map(calledIn) }] : [];
  const said = typeof content === "string" || isList(content) ? content : isObject(content) ? content : null;
  if (said === null) return [];
  return [
    source === "user" ? { role: "user", content: said } : { role: "assistant", name: source ?? null, content: said },
  ];
};

const shown =
  /^id='[^']*' source='(?<source>[^']*)'.* content=(?<quote>['"])(?<content>.*)\k<quote>(?: [a-z_]+=.*)? type='(?<type>\w+)'$/su;

/** A message that was written as Python shows it. */
export const shownMessage = (text: string): JsonObject | null => {
  const { source, content, type } = shown.exec(text)?.groups ?? {};
  if (source === undefined || content === undefined || type === undefined) return null;
  return { source, type, content: content.replaceAll("\\n", "\n").replaceAll("\\'", "'") };
};
