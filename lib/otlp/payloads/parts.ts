import type { Json, JsonObject } from "../../domain/json.ts";
import { callOf, onlyText, toolMessage, withoutEmpty } from "../chat-message.ts";
import type { MessagePart } from "../message-parts.ts";
import { isList, isObject, structured } from "../reader.ts";

type PartReader = (fields: JsonObject) => MessagePart | null;

const text = (type: "text" | "reasoning", said: Json | undefined, fields: JsonObject): MessagePart | null => {
  const whole = typeof said === "string" ? onlyText({ ...fields, text: said }) : null;
  return whole === null ? null : { type, text: whole };
};

const spoken =
  (type: "text" | "reasoning", ...names: readonly string[]): PartReader =>
  (fields) => {
    const name = names.find((each) => fields[each] !== undefined);
    if (name === undefined) return null;
    const { [name]: said, ...others } = fields;
    return text(type, said, others);
  };

const call = (
  id: Json | undefined,
  name: Json | undefined,
  given: Json | undefined,
  others: JsonObject,
): MessagePart => ({
  type: "call",
  call: callOf(id, name, given, others),
});

/** What a tool answered, out of parts that are all text or JSON. */
export const plainAnswer = (answer: Json | undefined): Json | undefined => {
  if (!isList(answer) || answer.length === 0) return answer;
  const values = answer.map((part): Json | undefined => {
    if (!isObject(part)) return undefined;
    const { type, text: said, json, ...others } = withoutEmpty(part);
    if ((type !== undefined && type !== "text" && type !== "json") || Object.keys(others).length > 0) return undefined;
    return said === undefined ? json : json === undefined ? said : undefined;
  });
  if (values.some((value) => value === undefined)) return answer;
  if (values.length === 1) return values[0];
  return values.every((value) => typeof value === "string") ? values.join("\n") : values.map((value) => value ?? null);
};

const answered = (id: Json | undefined, answer: Json | undefined, others: JsonObject): MessagePart => ({
  type: "result",
  message: toolMessage(id, plainAnswer(answer), others),
});

const without = (fields: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

/** Parts that say in `type` what they are. */
const typed: Readonly<Record<string, PartReader>> = {
  text: spoken("text", "text", "content"),
  input_text: spoken("text", "text"),
  output_text: spoken("text", "text"),
  reasoning: spoken("reasoning", "content", "text", "reasoning"),
  thinking: (fields) => spoken("reasoning", "thinking", "content")(without(fields, "signature")),
  tool_call: ({ id, name, arguments: given, args = given, ...others }) => call(id, name, args, others),
  tool_use: ({ id, name, input, ...others }) =>
    name === undefined ? null : call(id, name, input, withoutEmpty(without(others, "caller"))),
  tool_call_response: ({ id, response, result = response, ...others }) => answered(id, result, others),
  tool_result: ({ tool_use_id: id, content, ...others }) => answered(id, content, withoutEmpty(others)),
};

/** Parts that are called by what they hold: those of Bedrock and of Gemini. */
const named: Readonly<Record<string, (value: Json) => MessagePart | null>> = {
  text: (value) => text("text", value, {}),
  toolUse: (value) => {
    if (!isObject(value)) return null;
    const { toolUseId, name, input, ...others } = value;
    return call(toolUseId, name, input, others);
  },
  toolResult: (value) => {
    if (!isObject(value)) return null;
    const { toolUseId, content, status, ...others } = value;
    return answered(toolUseId, content, { ...others, ...(status !== "success" && status !== undefined && { status }) });
  },
  reasoningContent: (value) => {
    const inner = isObject(value) ? value["reasoningText"] : undefined;
    return isObject(inner) ? text("reasoning", inner["text"], {}) : null;
  },
  functionCall: (value) => (isObject(value) ? call(value["id"], value["name"], value["args"], {}) : null),
  functionResponse: (value) =>
    isObject(value) ? answered(value["id"], value["response"], withoutEmpty({ name: value["name"] ?? null })) : null,
};
const aliases: Readonly<Record<string, string>> = {
  function_call: "functionCall",
  function_response: "functionResponse",
};

const read = (part: JsonObject): MessagePart | null => {
  const { type, ...fields } = part;
  if (typeof type === "string") return Object.hasOwn(typed, type) ? (typed[type]?.(fields) ?? null) : null;
  const [key, ...more] = Object.keys(part);
  const name = key === undefined ? "" : (aliases[key] ?? key);
  return key !== undefined && more.length === 0 && Object.hasOwn(named, name)
    ? (named[name]?.(part[key] ?? null) ?? null)
    : null;
};

/** Marks within a message that say nothing of what was said. */
const marks = new Set(["cachePoint", "cache_point"]);

/**
 * A part of a message in the words of whichever protocol or convention it is in: OpenAI's, Anthropic's, Bedrock's, Gemini's,
 * OpenTelemetry's. Nothing for a part without content.
 */
export const partsOf = (part: Json): readonly MessagePart[] => {
  if (typeof part === "string") return part === "" ? [] : [{ type: "text", text: part }];
  if (!isObject(part)) return [{ type: "other", part }];
  // Nearly all parts are texts.
  const plain =
    part["type"] === "text" && Object.keys(part).length === 2 ? (part["text"] ?? part["content"]) : undefined;
  if (typeof plain === "string") return [{ type: "text", text: plain }];
  const said = withoutEmpty(part);
  const names = Object.keys(said);
  if (names.every((name) => name === "type" || marks.has(name))) return [];
  const found = read(part) ?? read(said);
  return [found ?? { type: "other", part }];
};

/** A call of a tool in a message's list of calls, whoever wrote it; what is none as it is. */
export const calledIn = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { id, function: asked, type, name, arguments: given, args = given, ...others } = value;
  if (isObject(asked)) {
    const { name: called, arguments: text, ...more } = asked;
    return callOf(id, called, structured(text ?? null), withoutEmpty({ ...others, ...more }));
  }
  return name === undefined ? value : callOf(id, name, args, type === "tool_call" ? withoutEmpty(others) : {});
};
