import { parseLossless, valuesIn, type Json } from "../../domain/json.ts";
import { telemetryNotes, type TelemetryNotes } from "../../domain/telemetry-notes.ts";

/** Max depth of JSON parsed from an attribute; below the limit of 100 levels for stored data, as the value is nested in a message. */
const maxDepth = 80;

const depthOf = (value: Json, limit: number): number => {
  if (typeof value !== "object" || value === null || limit === 0) return 0;
  let maxChildDepth = 0;
  for (const child of Object.values(value)) maxChildDepth = Math.max(maxChildDepth, depthOf(child, limit - 1));
  return maxChildDepth + 1;
};

/** Max values in the embedded JSON of a request, as many as in its body. */
const maxValues = 500_000;

/** Embedded JSON of one request. */
interface EmbeddedJson {
  readonly notes: TelemetryNotes;
  /** Results by text for the span that is being converted, as several readers parse the same text. */
  readonly results: Map<string, Json>;
  values: number;
}

const createEmbeddedJson = (notes: TelemetryNotes): EmbeddedJson => ({ notes, results: new Map(), values: 0 });

const ofRequests = new WeakMap<TelemetryNotes, EmbeddedJson>();

/** That of the request of which a span is being converted. Conversions do not wait, so that requests do not mix. */
let current: EmbeddedJson | null = null;

/**
 * Runs `convert` for a span of a request, whose texts of JSON have a bounded number of values together. It must not wait.
 *
 * @param notes those of the request, for all its spans; a text that stays a text is noted.
 */
export const withEmbeddedJson = <Result>(notes: TelemetryNotes, convert: () => Result): Result => {
  const before = current;
  current = ofRequests.get(notes) ?? createEmbeddedJson(notes);
  ofRequests.set(notes, current);
  current.results.clear();
  try {
    return convert();
  } finally {
    current = before;
  }
};

const parse = (text: string, ofRequest: EmbeddedJson): Json => {
  const values = valuesIn(text);
  if (ofRequest.values + values > maxValues) {
    ofRequest.notes.note(`JSON texts beyond ${maxValues} values in a request are stored as texts.`);
    return text;
  }
  try {
    const parsed = parseLossless(text);
    ofRequest.values += values;
    if (typeof parsed === "string") {
      const inner = parseEmbeddedJson(parsed);
      return inner === parsed ? text : inner;
    }
    return depthOf(parsed, maxDepth + 1) > maxDepth ? text : parsed;
  } catch {
    // A text that begins like JSON without being JSON stays a text.
    return text;
  }
};

/** Parses a text that contains a JSON object or list, which may be encoded several times; any other value is returned unchanged. */
export const parseEmbeddedJson = (value: Json): Json => {
  if (typeof value !== "string" || !/^\s*(?:[[{]|"\s*[[{"\\])/.test(value)) return value;
  const ofRequest = current ?? createEmbeddedJson(telemetryNotes());
  const result = ofRequest.results.get(value) ?? parse(value, ofRequest);
  ofRequest.results.set(value, result);
  return result;
};

/** True if a value is a JSON list. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
