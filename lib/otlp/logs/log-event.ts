import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { LogEvent } from "../../domain/traces/log-events.ts";
import { readSpan } from "../../conventions/precedence.ts";
import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { isList } from "../../conventions/attributes/reader.ts";
import type { ExportedEvent } from "./exported-event.ts";

/** Builds a span with a single event, whose attributes include the body, so that the conventions can read it. */
const asSpan = ({ traceId, spanId, name, at, attributes, body }: ExportedEvent): ExportedSpan => ({
  traceId,
  spanId,
  parentSpanId: null,
  parentIsRemote: false,
  name,
  kind: null,
  startedAt: at,
  endedAt: null,
  status: "UNSET",
  statusMessage: "",
  attributes: {},
  events: [{ name, at, attributes: attributesOf(attributes, body) }],
  links: [],
  scope: { name: "", version: "", attributes: {} },
  resource: {},
  otherFields: {},
});

const attributesOf = (attributes: JsonObject, body: Json): JsonObject => {
  if (!isObject(body)) return body === null ? attributes : { content: body };
  // A body with `gen_ai.` keys is merged with the attributes; any other object is a message and replaces them.
  return Object.keys(body).some((key) => key.startsWith("gen_ai.")) ? { ...attributes, ...body } : body;
};

/** Names of events that contain a single message each. */
const singleMessageName = /^gen_ai\.(?:(?:system|user|assistant|tool)\.message|choice)$/u;

const nameOnly = new Set(["event.name"]);

/** True for attributes whose content other fields of the `LogEvent` contain. */
const isCopied = (key: string): boolean =>
  nameOnly.has(key) ||
  /^gen_ai\.(?:input\.messages|output\.messages|system_instructions|prompt|completion)$/u.test(key);

/** Converts an event that was sent separately from its span to a `LogEvent`, with its input and output. */
export const logEventOf = (event: ExportedEvent): LogEvent => {
  const { name, at } = event;
  const { input = null, output = null } = readSpan(asSpan(event)).values;
  const attributes = Object.fromEntries(Object.entries(event.attributes).filter(([key]) => !isCopied(key)));
  const hasConversation = input !== null || output !== null;
  const otherAttributes = { ...attributes, ...(!hasConversation && event.body !== null && { body: event.body }) };
  const attributesEntry = Object.keys(otherAttributes).length === 0 ? {} : { attributes: otherAttributes };
  if (singleMessageName.test(name)) {
    return {
      name,
      at,
      ...(isList(input) && { asked: input }),
      ...(isList(output) && { answered: output }),
      ...attributesEntry,
    };
  }
  return { name, at, ...(input !== null && { input }), ...(output !== null && { output }), ...attributesEntry };
};
