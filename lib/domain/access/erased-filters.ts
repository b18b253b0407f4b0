import { isObject, stringOrEmpty, type Json, type JsonObject } from "../json.ts";

/** Filters whose texts are parts of a trace. */
const quotingFilters = new Set(["q", "first_error", "session_id"]);

/**
 * Returns filters with the pseudonym in place of a user, whom they may name in any text, and in a word or phrase of `q`. Filters that name
 * the user lose their texts of traces, too: these become the pseudonym, so that the filters match nothing rather than more.
 *
 * @param isOfUser true for the user's id.
 * @returns null for filters that do not name the user.
 */
export const erasedFilters = (
  filters: JsonObject,
  pseudonym: string,
  isOfUser: (text: string) => boolean,
): JsonObject | null => {
  let namesUser = false;
  const replacedText = (text: string): string => {
    if (!isOfUser(text)) return text;
    namesUser = true;
    return pseudonym;
  };
  const replaced = (value: Json): Json => {
    if (typeof value === "string") return replacedText(value);
    if (Array.isArray(value)) return value.map(replaced);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each)]))
      : value;
  };
  const entries = Object.entries(filters).map(([key, value]) => [key, replaced(value)] as const);
  for (const term of stringOrEmpty(filters["q"]).match(/"[^"]*"|\S+/gu) ?? []) replacedText(term.replaceAll('"', ""));
  if (!namesUser) return null;
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === "string" && quotingFilters.has(key) ? pseudonym : value]),
  );
};
