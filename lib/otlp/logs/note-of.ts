import type { Json, JsonObject } from "../../domain/json.ts";
import type { Note } from "../../domain/traces/notes.ts";
import { readingOf } from "../conventions/precedence.ts";
import type { ExportedSpan } from "../exported-span.ts";
import { isList, isObject } from "../reader.ts";
import type { ExportedEvent } from "./exported-event.ts";

/** An event of a span's, as the span itself would carry it: what the body says are its attributes. */
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
  others: {},
});

const attributesOf = (attributes: JsonObject, body: Json): JsonObject => {
  if (!isObject(body)) return body === null ? attributes : { content: body };
  // A body that tells the conversation under its attributes' names is one with them; a message stands in the body alone.
  return Object.keys(body).some((key) => key.startsWith("gen_ai.")) ? { ...attributes, ...body } : body;
};

/** Events that tell one message each. */
const ofOneMessage = /^gen_ai\.(?:(?:system|user|assistant|tool)\.message|choice)$/u;

const nameOnly = new Set(["event.name"]);

/** Attributes that tell what the note says already. */
const isSaid = (key: string): boolean =>
  nameOnly.has(key) ||
  /^gen_ai\.(?:input\.messages|output\.messages|system_instructions|prompt|completion)$/u.test(key);

/** What an event that was sent apart from its span says of it. */
export const noteOf = (event: ExportedEvent): Note => {
  const { name, at } = event;
  const { input = null, output = null } = readingOf(asSpan(event)).values;
  const attributes = Object.fromEntries(Object.entries(event.attributes).filter(([key]) => !isSaid(key)));
  const said = input !== null || output !== null;
  const others = { ...attributes, ...(!said && event.body !== null && { body: event.body }) };
  const more = Object.keys(others).length === 0 ? {} : { attributes: others };
  if (ofOneMessage.test(name)) {
    return { name, at, ...(isList(input) && { asked: input }), ...(isList(output) && { answered: output }), ...more };
  }
  return { name, at, ...(input !== null && { input }), ...(output !== null && { output }), ...more };
};
