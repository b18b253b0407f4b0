import { labelText, type Json } from "../domain/json.ts";
import { isList } from "./attributes/embedded-json.ts";
import { jsonAt, mapReader, type Reader } from "./attributes/reader.ts";
import { parsePython } from "./payloads/python-text.ts";

/** Returns the text of a tag; lists and objects become JSON. */
const tagText = (tag: Json): string | null =>
  labelText(tag) ?? (typeof tag === "object" && tag !== null ? JSON.stringify(tag) : null);

/**
 * Reads tags: a list, or one text with commas between them. Members of a list that are no text become texts; an object instead of a list
 * is no tag and stays an attribute.
 */
export const tagsAt = (name: string): Reader<readonly string[]> =>
  mapReader(jsonAt(name), (value) => {
    const list = typeof value === "string" ? (parsePython(value) ?? value.split(",").map((tag) => tag.trim())) : value;
    const tags = (isList(list) ? list.map(tagText) : [labelText(list)]).filter((tag) => tag !== null);
    return tags.length === 0 ? null : tags;
  });
