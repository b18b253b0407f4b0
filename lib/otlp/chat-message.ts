import type { Json, JsonObject } from "../domain/json.ts";
import { isList, structured } from "./reader.ts";

/** An object without the entries that say nothing. */
export const withoutEmpty = (entries: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) => value !== undefined && value !== null && !(isList(value) && value.length === 0),
    ),
  );

/**
 * A call of a tool in the form in which OpenAI's protocol has it, which transcripts and metrics read; arguments in a text are
 * read. Its other fields stand beside that.
 */
export const callOf = (
  id: Json | undefined,
  name: Json | undefined,
  given: Json | undefined,
  others: JsonObject = {},
): JsonObject => ({
  ...others,
  ...withoutEmpty({ id: id ?? null }),
  type: "function",
  function: { name: name ?? null, arguments: structured(given ?? null) },
});

/** What a tool answered, as a message, and its other fields. */
export const toolMessage = (id: Json | undefined, answer: Json | undefined, others: JsonObject): JsonObject =>
  withoutEmpty({ ...others, role: "tool", tool_call_id: id ?? null, content: structured(answer ?? null) });

/** The text of a part, given without its type, that says nothing beside it. */
export const onlyText = ({ text, ...others }: JsonObject): string | null =>
  typeof text === "string" && Object.keys(others).length === 0 ? text : null;
