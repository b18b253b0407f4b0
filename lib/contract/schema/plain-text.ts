import * as v from "valibot";
import { text } from "./fields.ts";

/**
 * Invisible characters that can make text look different from what it is: control characters, line and paragraph separators,
 * and text direction marks. The content of a regular expression's character class, without its brackets.
 */
export const hiddenCharacters = "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";

/** Schema of text of 1 to `max` characters, all of them visible, for names that people see in lists. */
export const plainText = (max: number) =>
  v.pipe(
    text(max, 1),
    v.regex(
      new RegExp(`^[^${hiddenCharacters}]*$`, "u"),
      "String should have no control characters and no text direction marks",
    ),
  );

/** Schema of the name of an API key or a monitor, at most 1,024 characters. */
export const displayName = plainText(1024);

/** Schema of the label of a command line that signs in, at most 255 characters. */
export const displayLabel = plainText(255);
