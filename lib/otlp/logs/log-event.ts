import type { Span } from "../../domain/traces/trace.ts";
import { areMessages } from "../../conventions/payloads/messages.ts";
import { withInstructions } from "../../conventions/payloads/requests.ts";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { LogEvent } from "../../domain/traces/log-events.ts";
import { maxLabelCharacters } from "../../domain/traces/telemetry.ts";
import type { TelemetryNotes } from "../../domain/telemetry-notes.ts";
import { readSpan } from "../../conventions/precedence.ts";
import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { isList, parseEmbeddedJson } from "../../conventions/attributes/embedded-json.ts";
import type { ExportedEvent } from "./exported-event.ts";

/** Name of the event that describes a whole model call, with the attributes of its span. */
const detailsName = "gen_ai.client.inference.operation.details";

/** Builds a span from an event, so that the conventions can read it: the event's details, or the event with its body. */
export const asSpan = ({ traceId, spanId, name, at, attributes, body }: ExportedEvent): ExportedSpan => ({
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
  attributes: name === detailsName ? attributesOf(attributes, body) : {},
  events: name === detailsName ? [] : [{ name, at, attributes: attributesOf(attributes, body) }],
  links: [],
  scope: { name: "", version: "", attributes: {} },
  resource: {},
  otherFields: {},
});

/** Returns the attributes of an event, which some instrumentations send in its body, as an object or its JSON text. */
export const attributesOf = (attributes: JsonObject, sentBody: Json): JsonObject => {
  const body = parseEmbeddedJson(sentBody);
  if (!isObject(body)) return body === null ? attributes : { content: body };
  // A body with `gen_ai.` keys is merged with the attributes; any other object is a message and replaces them.
  return Object.keys(body).some((key) => key.startsWith("gen_ai.")) ? { ...attributes, ...body } : body;
};

/** Names of events that contain a single message each. */
const singleMessageName = /^gen_ai\.(?:(?:system|user|assistant|tool)\.message|choice)$/u;

const nameOnly = new Set(["event.name"]);

/** True for attributes whose content other fields of the `LogEvent` contain. */
const isCopied = (key: string): boolean =>
  nameOnly.has(key) || /^gen_ai\.(?:input\.messages|output\.messages|prompt|completion)$/u.test(key);

/** False for spans whose token counts are sums of their model calls. */
const isModelCall = (kind: Span["kind"] | undefined): boolean => kind === undefined || kind === "LLM";

/** Converts an event that was sent separately from its span to a `LogEvent`, with its input and output. */
export const logEventOf = (event: ExportedEvent, { cut }: TelemetryNotes): LogEvent => {
  const { name, at, order } = event;
  const { values } = readSpan(asSpan(event));
  const { input: messages = null, output = null, system = null, usage, session, user } = values;
  const input = areMessages(messages) ? withInstructions(messages, system) : messages;
  const attributes = Object.fromEntries(
    Object.entries(event.attributes).filter(
      ([key]) => !isCopied(key) && (key !== "gen_ai.system_instructions" || input === messages),
    ),
  );
  const hasConversation = input !== null || output !== null;
  const otherAttributes: JsonObject = {
    ...attributes,
    ...(!hasConversation && event.body !== null && { body: event.body }),
  };
  const attributesEntry = Object.keys(otherAttributes).length === 0 ? {} : { attributes: otherAttributes };
  const head = { name, at, order };
  if (singleMessageName.test(name)) {
    return {
      ...head,
      ...(isList(input) && { asked: input }),
      ...(isList(output) && { answered: output }),
      ...attributesEntry,
    };
  }
  return {
    ...head,
    ...(input !== null && { input }),
    ...(output !== null && { output }),
    ...(usage !== undefined && isModelCall(values.kind) && { usage }),
    ...(session !== undefined && { session: cut("session_id", session, maxLabelCharacters) }),
    ...(user !== undefined && { user: cut("user_id", user, maxLabelCharacters) }),
    ...attributesEntry,
  };
};
