import { isObject, parseLossless, type Json } from "../../json.ts";
import type { Trace } from "../trace.ts";
import { foldText, placeInText } from "./folding.ts";
import { placeOfTerm, type TextTerm } from "./text-query.ts";

/** Fields of traces and spans whose texts are searched. */
export const searchedFields = ["input", "output", "error"] as const;

/** A place at which a trace matches. */
export interface TextMatch {
  /** Span of the text; null for the trace's own input or output. */
  readonly span_id: string | null;
  readonly field: (typeof searchedFields)[number];
  /** The text around the match. */
  readonly snippet: string;
}

/** Maximum matches of a trace, and characters (code points) of a snippet and of its part before the match. */
export const [maxMatches, snippetLength] = [3, 160] as const;
const lengthBefore = 40;

/** Levels of JSON in texts of JSON that are read: arguments of tools within messages within a request. */
const maxLevels = 4;

const parsed = (text: string): Json | undefined => {
  if (!/^\s*[[{]/u.test(text)) return undefined;
  try {
    return parseLossless(text);
  } catch {
    // A text that only begins like JSON.
    return undefined;
  }
};

/** Yields the texts and numbers in a value, without keys; of a text that is JSON those inside of it. */
const textsIn = function* (value: Json, levels = maxLevels): Generator<string> {
  if (typeof value === "string") {
    const inner = levels === 0 ? undefined : parsed(value);
    if (inner === undefined) yield value;
    else yield* textsIn(inner, levels - 1);
  } else if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) yield* textsIn(item, levels);
  } else if (isObject(value)) {
    for (const item of Object.values(value)) yield* textsIn(item, levels);
  } else if (value !== null && typeof value !== "boolean") {
    yield JSON.stringify(value);
  }
};

/** Yields the searched texts of a trace. */
export const searchedTexts = function* (trace: Trace): Generator<string> {
  for (const texts of [{ ...trace, error: null }, ...trace.spans])
    for (const field of searchedFields) yield* textsIn(texts[field]);
};

const snippetOf = (text: string, foldedPlace: number): string => {
  const place = placeInText(text, foldedPlace);
  const before = Array.from(text.slice(Math.max(0, place - 2 * lengthBefore), place)).slice(-lengthBefore);
  // Half a surrogate pair at the cut.
  if (/^[\udc00-\udfff]/u.test(before[0] ?? "")) before.shift();
  const after = Array.from(text.slice(place, place + 2 * snippetLength));
  return [...before, ...after].slice(0, snippetLength).join("");
};

/** Returns where a trace matches, at most `maxMatches` places in its order, or null if it lacks one of the terms. */
export const matchesOf = (trace: Trace, terms: readonly TextTerm[]): readonly TextMatch[] | null => {
  const missing = new Set(terms);
  const matches: TextMatch[] = [];
  for (const { span_id, ...texts } of [{ ...trace, span_id: null, error: null }, ...trace.spans]) {
    for (const field of searchedFields) {
      let isShown = false;
      for (const text of textsIn(texts[field])) {
        if (missing.size === 0 && matches.length === maxMatches) return matches;
        const folded = foldText(text);
        for (const term of terms) {
          const place = placeOfTerm(folded, term);
          // One place of each field, and the first one of each term.
          if (place === -1 || (!missing.delete(term) && isShown)) continue;
          if (matches.length < maxMatches) matches.push({ span_id, field, snippet: snippetOf(text, place) });
          isShown = true;
        }
      }
    }
  }
  return missing.size > 0 ? null : matches;
};
