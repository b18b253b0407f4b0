import type { Json } from "../../domain/json.ts";
import { maxExpectedCharacters } from "../prices/estimate.ts";
import type { Note } from "./ask-model.ts";

const name = "the expected output";

/** Tells a judge what the note of the expected output is. */
export const expectedOutputRule = `The notes named "${name}" are no part of the record: they hold the output that the team expects of it, which the agent did not see. Compare with them; quote evidence from the record alone.`;

/** Returns the note of an expected output; none without one. */
export const expectedOutputNotes = (expectedOutput: Json): readonly Note[] => {
  if (expectedOutput === null) return [];
  const text = typeof expectedOutput === "string" ? expectedOutput : JSON.stringify(expectedOutput, null, 1);
  const leftOut = text.length - maxExpectedCharacters;
  const end = leftOut > 0 ? `\n[... ${leftOut} characters left out ...]` : "";
  return [{ name, text: `${text.slice(0, maxExpectedCharacters).toWellFormed()}${end}` }];
};
