import * as v from "valibot";
import { text } from "./fields.ts";

/**
 * Characters that show nothing and change how what is beside them is read: controls, line and paragraph separators, marks of
 * direction. As a class of a pattern, without its brackets.
 */
export const hiddenCharacters = "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";

/** Text of 1 to `max` characters that are all to be seen: names that people tell things apart by. */
export const plainText = (max: number) =>
  v.pipe(
    text(max, 1),
    v.regex(
      new RegExp(`^[^${hiddenCharacters}]*$`, "u"),
      "String should have no control characters and no marks of direction",
    ),
  );

/** The name of a key or a monitor. */
export const displayName = plainText(1024);

/** What a command line is called that asks for a key. */
export const displayLabel = plainText(255);
