import { valuesIn, type Json } from "../../domain/json.ts";
import type { TelemetryNotes } from "../../domain/telemetry-notes.ts";
import { withParser } from "./embedded-json.ts";

/** Max values in the embedded JSON of a request, as many as in its body. */
const maxValues = 500_000;

/** Values of parsed texts by request. */
const valuesOfRequests = new WeakMap<TelemetryNotes, number>();

/**
 * Runs `convert` for a span of a request, whose texts of JSON have a bounded number of values together: others stay texts. Each text is
 * parsed once, as several readers ask for it. It must not wait.
 *
 * @param notes those of the request, for all its spans; a text that stays a text is noted.
 */
export const withEmbeddedJson = <Result>(notes: TelemetryNotes, convert: () => Result): Result => {
  const results = new Map<string, Json>();
  const parse = (text: string, usual: (text: string) => Json): Json => {
    const values = (valuesOfRequests.get(notes) ?? 0) + valuesIn(text);
    if (values > maxValues) {
      notes.note(`JSON texts beyond ${maxValues} values in a request are stored as texts.`);
      return text;
    }
    valuesOfRequests.set(notes, values);
    return usual(text);
  };
  return withParser(
    (usual) => (text) => {
      const result = results.get(text) ?? parse(text, usual);
      results.set(text, result);
      return result;
    },
    convert,
  );
};
