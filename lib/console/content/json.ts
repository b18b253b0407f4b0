import { isObject, type Json } from "../../domain/json.ts";

/** Max characters of a text that is parsed as JSON. */
const maxTextLength = 500_000;

const isJson = (value: unknown): value is Json => value !== undefined;

/** Returns a value of a reply, which was parsed from JSON, with its type; null if it is missing. */
export const jsonOf = (value: unknown): Json => (isJson(value) ? value : null);

/** Parses a text of at most 500,000 characters that contains a JSON object or list; any other value is returned unchanged. */
export const parseText = (value: Json): Json => {
  if (typeof value !== "string" || value.length > maxTextLength || !/^\s*[[{]/u.test(value)) return value;
  try {
    return jsonOf(JSON.parse(value));
  } catch {
    // A text that begins like JSON without being JSON stays a text.
    return value;
  }
};

/** Returns names and values of a list or object; null for other values. */
export const entriesOf = (value: Json): readonly (readonly [name: string, value: Json])[] | null => {
  if (Array.isArray(value)) return value.map((each: Json, index) => [String(index), each]);
  return isObject(value) ? Object.entries(value) : null;
};

/** Returns the path of an entry in a tree. */
export const pathOf = (path: string, name: string): string => `${path}/${encodeURIComponent(name.slice(0, 200))}`;

/** Max depth of JSON texts in JSON texts that are parsed. */
const maxTextDepth = 3;

/** Max levels of a tree that are displayed and searched. */
export const maxLevels = 60;

/** A value of a tree: what a JSON text contains is part of the tree. */
export interface TreeValue {
  readonly value: Json;
  /** Number of JSON texts around the value, itself included. */
  readonly textDepth: number;
  /** True if the value was parsed from a text. */
  readonly isText: boolean;
}

/** Returns a value of a tree; a JSON text is parsed if it lies in less than three others. */
export const treeValue = (value: Json, textDepth: number): TreeValue => {
  const parsed = textDepth < maxTextDepth ? parseText(value) : value;
  return parsed === value
    ? { value, textDepth, isText: false }
    : { value: parsed, textDepth: textDepth + 1, isText: true };
};

/** Max values that one search looks at. */
const maxSearchValues = 50_000;

/** Max matches of a search. */
const maxMatches = 500;

/** Paths of the values whose name or content contains a text, in order, and whether all values were searched. */
export interface Matches {
  readonly paths: readonly string[];
  readonly isComplete: boolean;
}

const leafText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Searches names and values of a tree, ignoring case: at most 50,000 values, for 500 matches. */
export const searchTree = (root: Json, text: string): Matches => {
  const paths: string[] = [];
  const needle = text.toLowerCase();
  let searched = 0;
  const stack: { name: string; value: Json; path: string; textDepth: number; level: number }[] = [
    { name: "", value: root, path: "", textDepth: 0, level: 0 },
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (searched === maxSearchValues || paths.length === maxMatches) return { paths, isComplete: false };
    searched += 1;
    const { name, path, level } = next;
    const { value, textDepth } = treeValue(next.value, next.textDepth);
    const entries = entriesOf(value);
    const content = entries === null ? leafText(value) : "";
    if (`${name}\n${content}`.toLowerCase().includes(needle)) paths.push(path);
    if (level === maxLevels) continue;
    for (const [childName, child] of (entries ?? []).toReversed())
      stack.push({ name: childName, value: child, path: pathOf(path, childName), textDepth, level: level + 1 });
  }
  return { paths, isComplete: true };
};

/** Returns the number of values of a tree, counted up to a limit. */
export const countValues = (root: Json, limit: number): number => {
  let count = 0;
  const stack = [root];
  for (let next = stack.pop(); next !== undefined && count < limit; next = stack.pop()) {
    count += 1;
    for (const [, child] of (entriesOf(next) ?? []).slice(0, limit)) stack.push(child);
  }
  return count;
};
