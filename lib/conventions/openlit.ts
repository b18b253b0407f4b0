import type { Json } from "../domain/json.ts";
import { toolCall } from "./payloads/chat-message.ts";
import { messagesOf } from "./payloads/messages.ts";
import { parsePython } from "./payloads/python-text.ts";
import { isList } from "./attributes/embedded-json.ts";
import { documentedAs, jsonAt, like, mapReader, textAt, type Reader } from "./attributes/reader.ts";
import type { Convention } from "./convention.ts";

const roleStart = /^(system|developer|user|assistant|tool): /gmu;

/** Converts messages in one text, `role: content` each, to chat messages; null for any other text. */
const messagesInText = (text: string): Json | null => {
  const starts = [...text.matchAll(roleStart)];
  if (starts[0]?.index !== 0) return null;
  const messages = starts.map(({ 0: start, 1: role = "user", index }, at) => ({
    role,
    content: text.slice(index + start.length, starts[at + 1]?.index).replace(/\n$/u, ""),
  }));
  // A message with tool calls is sent as the text of the whole conversation so far.
  const histories = messages.map(({ content }) => messagesOf(parsePython(content)));
  return histories.findLast((history) => history !== null) ?? messages;
};

const toolArguments = jsonAt("gen_ai.tool.args");

/** Reads the tool call that a model requested, which the span of a chat has as attributes of its own. */
const requestedCall: Reader<Json> = like(toolArguments, (span) => {
  const { "gen_ai.tool.name": name, "gen_ai.tool.call.id": id, "gen_ai.operation.name": operation } = span.attributes;
  const result = toolArguments(span);
  if (result === null || operation !== "chat") return result;
  return { ...result, value: [{ role: "assistant", tool_calls: [toolCall(id, name, result.value)] }] };
});

const functionArguments: Reader<Json> = documentedAs(["function.args"], (span) => {
  const result = textAt("function.args")(span);
  const values = parsePython(result?.value ?? "");
  const keywords = parsePython(textAt("function.kwargs")(span)?.value ?? "");
  if (result === null) return null;
  const [first, ...others] = isList(values) ? values : [];
  const value = others.length === 0 && first !== undefined ? first : values;
  const isEmpty = isList(values) && values.length === 0;
  return { value: (isEmpty ? keywords : value) ?? result.value, keys: ["function.args"] };
});

/** Attributes of OpenLIT, whose instrumentations write the messages of a call as one text. */
export const openLit: Convention = {
  product: "OpenLIT",
  applies: (_, { scope }) => scope.name.startsWith("openlit"),
  kind: [
    like(functionArguments, ({ attributes }) =>
      attributes["function.args"] === undefined ? null : { value: "CHAIN", keys: [] },
    ),
  ],
  input: [mapReader(textAt("gen_ai.prompt"), messagesInText), functionArguments],
  output: [requestedCall],
  bookkeeping: [
    "deployment.environment",
    "function.",
    "gen_ai.completion",
    "gen_ai.prompt",
    "gen_ai.sdk.version",
    "gen_ai.tool.name",
    "service.name",
  ],
};
