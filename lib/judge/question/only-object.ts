/** Where the JSON value that begins with a brace ends, past its last one; -1: nowhere. */
const endOfObject = (text: string, start: number): number => {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (quoted) {
      if (sign === "\\") at += 1;
      else if (sign === '"') quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === "{" || sign === "[") depth += 1;
    else if (sign === "}" || sign === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Begins what is meant to be an object with fields, or a list of such; a brace in prose has no quote after it. */
const beginning = /\{\s*["}]|\[\s*\{\s*["}]/gu;

/** What models write before their answer: a byte order mark, and what they thought, whose first tag some leave out. */
const withoutThoughts = (text: string): string =>
  text.replace(/^\uFEFF/u, "").replace(/^[\s\S]*<\/think(?:ing)?>/u, "");

/** The only object of a text, or why there is none: as a sentence. */
export type OnlyObject =
  | { readonly kind: "object"; readonly value: object }
  | { readonly kind: "none"; readonly flaw: string };

const none = (flaw: string): OnlyObject => ({ kind: "none", flaw });

/**
 * The one JSON object that a text has on its top level, whatever prose, fence or thought stands around it. Nothing is
 * repaired, and of two objects none is chosen.
 */
export const onlyObject = (given: string): OnlyObject => {
  const text = withoutThoughts(given);
  let found: object | null = null;
  beginning.lastIndex = 0;
  for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
    const end = endOfObject(text, match.index);
    if (end === -1) return none("It held a JSON object that does not end.");
    const value = parsed(text.slice(match.index, end));
    if (typeof value !== "object" || value === null) return none("It held an object that is not JSON.");
    if (!Array.isArray(value)) {
      if (found !== null) return none("It held more than one JSON object.");
      found = value;
    }
    beginning.lastIndex = end;
  }
  return found === null ? none("It held no JSON object.") : { kind: "object", value: found };
};
