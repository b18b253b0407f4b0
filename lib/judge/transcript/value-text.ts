import type { Json } from "../../domain/json.ts";
import { isObject } from "../question/json-object.ts";
import { jsonText, type ShownTexts } from "./shown-texts.ts";

/** A value up to about this long stands on one line as JSON. */
const oneLine = 100;
/** Deeper values stand as JSON: the renderer recurses. */
const deepest = 40;
/** Values are compared with what was shown down to here, below it only texts are: comparing means writing them as JSON. */
const compared = 1;

const continued = (text: string): string => text.replaceAll("\n", "\n ");

/** Moves all lines of a text in by a space: a tenth of a transcript would be indentation with two. */
export const indented = (text: string): string => ` ${continued(text)}`;

const labelled = (label: string, text: string): string =>
  text.includes("\n") ? `${label}\n${indented(text)}` : `${label} ${text}`;

/** What is left of `room` characters after the value, negative as soon as it does not fit. */
const roomAfter = (value: Json, room: number): number => {
  if (typeof value === "string") return room - value.length - 3;
  if (typeof value !== "object" || value === null) return room - 6;
  let left = room - 2;
  for (const [key, entry] of Object.entries(value)) {
    if (left < 0) return left;
    left = roomAfter(entry, left - key.length);
  }
  return left;
};

/**
 * A value as a person would read it: strings as they are, objects as `key: value` lines, short values as JSON on one line;
 * what was shown before is named by its place.
 */
export const valueText = (value: Json, here: string, shown: ShownTexts, depth = 0): string => {
  if (typeof value === "string") {
    const place = shown.place(value, here);
    return place === null ? value : `(same as ${place})`;
  }
  if (typeof value !== "object" || value === null) return jsonText(value);
  const short = roomAfter(value, oneLine) >= 0;
  if (short || depth <= compared || depth >= deepest) {
    const whole = jsonText(value);
    const place = shown.placeOfJson(whole, here);
    if (place !== null) return `(same as ${place})`;
    if (short || depth >= deepest) return whole;
  }
  if (isObject(value)) {
    return Object.entries(value)
      .map(([key, entry]) => labelled(`${key}:`, valueText(entry, here, shown, depth + 1)))
      .join("\n");
  }
  if (!Array.isArray(value)) return jsonText(value);
  return value.map((item: Json) => `- ${continued(valueText(item, here, shown, depth + 1))}`).join("\n");
};
