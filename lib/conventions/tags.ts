import { labelText } from "../domain/json.ts";
import { isList } from "./attributes/embedded-json.ts";
import { jsonAt, mapReader, type Reader } from "./attributes/reader.ts";
import { parsePython } from "./payloads/python-text.ts";

/** Reads tags: a list, or one text with commas between them; numbers and booleans become texts, lists and objects their JSON. */
export const tagsAt = (name: string): Reader<readonly string[]> =>
  mapReader(jsonAt(name), (value) => {
    const list = typeof value === "string" ? (parsePython(value) ?? value.split(",").map((tag) => tag.trim())) : value;
    const tags = (isList(list) ? list : [list]).flatMap(
      (tag) => labelText(tag) ?? (tag === "" || tag === null ? [] : JSON.stringify(tag)),
    );
    return tags.length === 0 ? null : tags;
  });
