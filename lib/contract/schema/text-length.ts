import * as v from "valibot";
import { hasAtMost } from "../../domain/characters.ts";

/** Like valibot's `maxLength`, but counts Unicode code points as JSON Schema does, not UTF-16 code units. */
export const maxCharacters = (max: number, message: string): v.MaxLengthAction<string, number, string> => {
  const maxLength: v.MaxLengthAction<string, number, string> = v.maxLength(max, message);
  const run = maxLength["~run"].bind(maxLength);
  return {
    ...maxLength,
    "~run": (dataset, config) => (dataset.typed && hasAtMost(dataset.value, max) ? dataset : run(dataset, config)),
  };
};
