import type { Json, JsonObject } from "../../domain/json.ts";
import { messagesOf } from "../payloads/messages.ts";
import { isList, isObject, jsonAt, structured, type Reader } from "../reader.ts";
import type { Convention } from "./convention.ts";

/**
 * A message that is an event: its fields are attributes, or all in one attribute, or what was said is in one called `message`.
 * The id of a tool's message is its call's.
 */
const eventMessage = (role: string, attributes: JsonObject): Json => {
  const body = structured(attributes["message"] ?? null);
  const own = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, structured(value)]));
  const { message: _, "tool.result": __, ...fields } = own;
  const said = isObject(body) ? body : body === null ? own : { ...fields, content: body };
  const { id, ...others } = said;
  return { role, ...others, ...(id !== undefined && (role === "tool" ? { tool_call_id: id } : { id })) };
};

const roles: Readonly<Record<string, string>> = {
  "gen_ai.system.message": "system",
  "gen_ai.user.message": "user",
  "gen_ai.assistant.message": "assistant",
  "gen_ai.tool.message": "tool",
};

/** Messages that are events of their own; the attributes are kept with the events. */
const spoken =
  (names: Readonly<Record<string, string>>): Reader<Json> =>
  ({ events }) => {
    const said = events.flatMap(({ name, attributes }) => {
      const role = Object.hasOwn(names, name) ? names[name] : undefined;
      return role === undefined ? [] : [eventMessage(role, attributes)];
    });
    return said.length === 0 ? null : { value: messagesOf(said) ?? said, keys: [] };
  };

/** What the attributes of all events of a name have under a key: the first that has it. */
const inEvents =
  (name: string, key: string): Reader<Json> =>
  (span) => {
    for (const event of span.events) {
      const found = event.name === name ? jsonAt(key)({ ...span, attributes: event.attributes }) : null;
      if (found !== null) return { value: found.value, keys: [] };
    }
    return null;
  };

const messages =
  (key: string): Reader<Json> =>
  (span) => {
    const found = inEvents("gen_ai.client.inference.operation.details", key)(span);
    const ofAgent = span.attributes["gen_ai.operation.name"] === "invoke_agent" && key === "gen_ai.output.messages";
    return found === null ? null : { ...found, value: messagesOf(found.value, ofAgent) ?? found.value };
  };

const conversation =
  (name: string, key: string): Reader<Json> =>
  (span) => {
    const found = inEvents(name, key)(span);
    return found === null
      ? null
      : { ...found, value: isList(found.value) ? (messagesOf(found.value) ?? found.value) : found.value };
  };

/** The same conventions with the messages in events: some with all of them, one for each, or one for prompt and completion. */
export const genAiEvents: Convention = {
  applies: (_, { events }) => events.length > 0,
  input: [messages("gen_ai.input.messages"), spoken(roles), conversation("gen_ai.content.prompt", "gen_ai.prompt")],
  system: [inEvents("gen_ai.client.inference.operation.details", "gen_ai.system_instructions")],
  output: [
    messages("gen_ai.output.messages"),
    spoken({ "gen_ai.choice": "assistant" }),
    conversation("gen_ai.content.completion", "gen_ai.completion"),
  ],
};
