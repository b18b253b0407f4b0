import type { Json, JsonObject } from "../../domain/json.ts";
import { isList, parseEmbeddedJson } from "../attributes/embedded-json.ts";

/** Returns an object without the entries that are undefined, null or an empty list. */
export const withoutEmptyEntries = (entries: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) => value !== undefined && value !== null && !(isList(value) && value.length === 0),
    ),
  );

const providerFields = new Set(["providerOptions", "providerMetadata"]);

/** Returns fields without those in which Vercel's AI SDK keeps settings and ids of the provider. */
export const withoutProviderFields = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !providerFields.has(key)));

/**
 * Builds a tool call in OpenAI's form, `{id, type: "function", function: {name, arguments}}`, which transcripts and metrics read.
 * Arguments given as JSON text are parsed.
 *
 * @param otherFields further fields of the sender's tool call, added beside those of OpenAI.
 */
export const toolCall = (
  id: Json | undefined,
  name: Json | undefined,
  args: Json | undefined,
  otherFields: JsonObject = {},
): JsonObject => ({
  ...otherFields,
  ...withoutEmptyEntries({ id: id ?? null }),
  type: "function",
  function: { name: name ?? null, arguments: parseEmbeddedJson(args ?? null) },
});

/** Builds the chat message (`role: "tool"`) of a tool's result. @param otherFields further fields of the message. */
export const toolMessage = (id: Json | undefined, answer: Json | undefined, otherFields: JsonObject): JsonObject =>
  withoutEmptyEntries({
    ...otherFields,
    role: "tool",
    tool_call_id: id ?? null,
    content: parseEmbeddedJson(answer ?? null),
  });

/** Returns the text of a message part (without its `type`) if `text` is its only field, else null. */
export const onlyText = ({ text, ...otherFields }: JsonObject): string | null =>
  typeof text === "string" && Object.keys(otherFields).length === 0 ? text : null;
