import { stringOrEmpty, type Json, type JsonObject } from "../../domain/json.ts";
import { isList, parseEmbeddedJson } from "../attributes/embedded-json.ts";

/** Role names of other providers, mapped to those of OpenAI. */
export const openAiRoles: Readonly<Record<string, string>> = {
  model: "assistant",
  ai: "assistant",
  human: "user",
  function: "tool",
};

/** Returns an object without the entries that are undefined, null or an empty list. */
export const withoutEmptyEntries = (entries: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) => value !== undefined && value !== null && !(isList(value) && value.length === 0),
    ),
  );

/**
 * Fields of messages and parts that tell a reader nothing: ids, indexes, signatures and settings of a provider. Spelled without
 * underscores and capitals.
 */
const bookkeeping: ReadonlySet<string> = new Set(
  (
    "id itemid index signature thoughtsignature encryptedcontent cachecontrol cachepoint phase logprobs extras meta " +
    "provideroptions providermetadata providerspecificfields providerexecuted caller"
  ).split(" "),
);

/** States of a message or part that is complete. */
const usualState = /^(?:completed|done|success)$/u;

/** Returns the fields of a message or part that a reader needs: without bookkeeping and empty entries. */
export const withoutBookkeeping = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(withoutEmptyEntries(fields)).filter(
      ([key, value]) =>
        !bookkeeping.has(key.replaceAll("_", "").toLowerCase()) &&
        !((key === "status" || key === "state") && usualState.test(stringOrEmpty(value))),
    ),
  );

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
