import * as v from "valibot";
import { hasAtMost } from "../domain/characters.ts";

/** valibot's `maxLength` of a text, counted in code points as JSON Schema does, not in UTF-16 code units. */
export const mostCharacters = (most: number, message: string): v.MaxLengthAction<string, number, string> => {
  const action: v.MaxLengthAction<string, number, string> = v.maxLength(most, message);
  const run = action["~run"].bind(action);
  return {
    ...action,
    "~run": (dataset, config) => (dataset.typed && hasAtMost(dataset.value, most) ? dataset : run(dataset, config)),
  };
};
