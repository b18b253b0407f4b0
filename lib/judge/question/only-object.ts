/** Returns the index after the closing bracket of the JSON value at `start`; -1 if the value does not end. */
const endOfObject = (text: string, start: number): number => {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (isQuoted) {
      if (sign === "\\") at += 1;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') isQuoted = true;
    else if (sign === "{" || sign === "[") depth += 1;
    else if (sign === "}" || sign === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Beginning of a JSON object or array of objects; a brace in prose has no quote after it. */
const objectStart = /\{\s*["}]|\[\s*\{\s*["}]/gu;

/** Removes a byte order mark and the reasoning before an answer; some models omit its opening `<think>` tag. */
const withoutThoughts = (text: string): string =>
  text.replace(/^\uFEFF/u, "").replace(/^[\s\S]*<\/think(?:ing)?>/u, "");

/** The only JSON object of a text, or a sentence that says why there is none. */
export type OnlyObject =
  | { readonly kind: "object"; readonly value: object }
  | { readonly kind: "none"; readonly flaw: string };

const none = (flaw: string): OnlyObject => ({ kind: "none", flaw });

/**
 * Extracts the only top-level JSON object of a text, ignoring prose, code fences and reasoning around it. Invalid JSON is not
 * repaired, and a text with two objects has no result.
 */
export const onlyObject = (reply: string): OnlyObject => {
  const text = withoutThoughts(reply);
  let result: object | null = null;
  objectStart.lastIndex = 0;
  for (let match = objectStart.exec(text); match !== null; match = objectStart.exec(text)) {
    const end = endOfObject(text, match.index);
    if (end === -1) return none("It held a JSON object that does not end.");
    const value = parseJson(text.slice(match.index, end));
    if (typeof value !== "object" || value === null) return none("It held an object that is not JSON.");
    if (!Array.isArray(value)) {
      if (result !== null) return none("It held more than one JSON object.");
      result = value;
    }
    objectStart.lastIndex = end;
  }
  return result === null ? none("It held no JSON object.") : { kind: "object", value: result };
};
