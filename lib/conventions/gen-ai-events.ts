import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import { messagesOf } from "./payloads/messages.ts";
import { isList, parseEmbeddedJson } from "./attributes/embedded-json.ts";
import { documentedAs, jsonAt, like, mapReader, type Reader } from "./attributes/reader.ts";
import type { Convention } from "./convention.ts";

/**
 * Converts an event to a message. Its fields are separate attributes, or an object in the attribute `message`, or `message` is the
 * content. The `id` of a tool message is the id of the tool call.
 */
const eventMessage = (role: string, attributes: JsonObject): Json => {
  const body = parseEmbeddedJson(attributes["message"] ?? null);
  const parsedAttributes = Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, parseEmbeddedJson(value)]),
  );
  const { message: _, "tool.result": __, ...fields } = parsedAttributes;
  const messageFields = isObject(body) ? body : body === null ? parsedAttributes : { ...fields, content: body };
  const { id, ...otherFields } = messageFields;
  return { role, ...otherFields, ...(id !== undefined && (role === "tool" ? { tool_call_id: id } : { id })) };
};

const roles: Readonly<Record<string, string>> = {
  "gen_ai.system.message": "system",
  "gen_ai.user.message": "user",
  "gen_ai.assistant.message": "assistant",
  "gen_ai.tool.message": "tool",
};

/** Reads messages from events with one message each; the events stay in the metadata. */
const messageEvents = (rolesByEvent: Readonly<Record<string, string>>): Reader<Json> =>
  documentedAs([`(events \`${Object.keys(rolesByEvent).join("`, `")}\`)`], ({ events }) => {
    const chatMessages = events.flatMap(({ name, attributes }) => {
      const role = Object.hasOwn(rolesByEvent, name) ? rolesByEvent[name] : undefined;
      return role === undefined ? [] : [eventMessage(role, attributes)];
    });
    return chatMessages.length === 0 ? null : { value: messagesOf(chatMessages) ?? chatMessages, keys: [] };
  });

/** Reads an attribute of the first event with a given name that has the attribute. */
export const inEvents = (name: string, key: string): Reader<Json> =>
  documentedAs([`(\`${key}\` in an event \`${name}\`)`], (span) => {
    for (const event of span.events) {
      const result = event.name === name ? jsonAt(key)({ ...span, attributes: event.attributes }) : null;
      if (result !== null) return { value: result.value, keys: [] };
    }
    return null;
  });

const messages = (key: string): Reader<Json> => {
  const reader = inEvents("gen_ai.client.inference.operation.details", key);
  return like(reader, (span) => {
    const isAgentOutput =
      span.attributes["gen_ai.operation.name"] === "invoke_agent" && key === "gen_ai.output.messages";
    return mapReader(reader, (value) => messagesOf(value, isAgentOutput) ?? value)(span);
  });
};

const conversation = (name: string, key: string): Reader<Json> =>
  mapReader(inEvents(name, key), (value) => (isList(value) ? (messagesOf(value) ?? value) : value));

/**
 * The semantic conventions for generative AI with messages in span events: one event with all messages, one event per message, or
 * one event each for prompt and completion.
 */
export const genAiEvents: Convention = {
  applies: (_, { events }) => events.length > 0,
  input: [
    messages("gen_ai.input.messages"),
    messageEvents(roles),
    conversation("gen_ai.content.prompt", "gen_ai.prompt"),
  ],
  system: [inEvents("gen_ai.client.inference.operation.details", "gen_ai.system_instructions")],
  output: [
    messages("gen_ai.output.messages"),
    messageEvents({ "gen_ai.choice": "assistant" }),
    conversation("gen_ai.content.completion", "gen_ai.completion"),
  ],
};
