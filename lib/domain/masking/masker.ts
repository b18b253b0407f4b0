import { endOfString, isObject, parseLossless, type Json, type JsonObject } from "../json.ts";
import { parsePath, pathRule, pathTree, stepInto, type PathNode } from "./path.ts";
import { maskPresets } from "./presets.ts";
import { ruleCount, type MaskingRules } from "./rules.ts";

/** Max depth of a value with the JSON in its texts; a text that is nested deeper is masked as a text. */
const maxDepth = 200;

/** Returns the depth of a JSON text without parsing it. */
const depthOf = (text: string): number => {
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (sign === "[" || sign === "{") deepest = Math.max(deepest, (depth += 1));
    else if (sign === "]" || sign === "}") depth -= 1;
  }
  return deepest;
};

const closing: Readonly<Record<string, string>> = { "{": "}", "[": "]", '"': '"' };

/** Parses a text that is a JSON object, list or text of at most a depth; undefined for any other. */
const parseNested = (text: string, depth: number): Json | undefined => {
  const json = text.trim();
  if (json.length < 2 || closing[json[0] ?? ""] !== json.at(-1) || depthOf(json) > depth) return undefined;
  try {
    return parseLossless(json);
  } catch {
    return undefined;
  }
};

/** Returns a test of texts by a pattern in which `*` stands for any characters; its time is linear in the text's length. */
const globTest = (pattern: string): ((text: string) => boolean) => {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop() ?? "";
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of parts) {
      const start = text.indexOf(part, at);
      if (start === -1) return false;
      at = start + part.length;
    }
    return at <= text.length - last.length;
  };
};

const isNumber = (value: Json): boolean => typeof value === "number" || JSON.isRawJSON(value);

/** Masks JSON values by the rules of a project. */
export interface Masker {
  /** The tree of the paths, at the root of a trace. */
  readonly paths: readonly PathNode[];
  /** Returns the rule that names a field: a key without `*`, or a path that ends there; null if there is none. */
  readonly ruleOf: (field: string, nodes: readonly PathNode[]) => string | null;
  /** Returns the text in place of a value. */
  readonly markOf: (rule: string) => string;
  /** Masks a text, and the JSON that it may be. @param nodes places of the text in the tree of the paths. */
  readonly text: (text: string, nodes?: readonly PathNode[]) => string;
  /** Masks a value. @param isUsage true for counts and amounts, of which numbers stay. */
  readonly value: (value: Json, nodes?: readonly PathNode[], isUsage?: boolean) => Json;
  /** Masks the entries of an object; keys that presets change stay apart from each other. */
  readonly entries: (object: JsonObject, maskEntry: (key: string, value: Json) => Json) => JsonObject;
  /** Masks the value at a key of an object at some places. */
  readonly entry: (key: string, value: Json, nodes: readonly PathNode[]) => Json;
}

/** Returns the masker of some rules. */
const masker = ({ keys, paths, presets }: MaskingRules): Masker => {
  const markOf = (rule: string): string => `[masked:${rule}]`;
  const exact = new Map(keys.filter((key) => !key.includes("*")).map((key) => [key.toLowerCase(), key]));
  const globs = keys.filter((key) => key.includes("*")).map((key) => [key, globTest(key.toLowerCase())] as const);
  const root = [pathTree(paths.map((path) => [path, parsePath(path) ?? []] as const))];
  /** Values that a rule has named or changed so far. */
  let changes = 0;

  const keyRule = (key: string): string | null => {
    if (keys.length === 0) return null;
    const name = key.toLowerCase();
    return exact.get(name) ?? globs.find(([, test]) => test(name))?.[0] ?? null;
  };

  const plainText = (text: string): string => {
    const masked = maskPresets(text, presets, markOf);
    if (masked !== text) changes += 1;
    return masked;
  };

  const number = (value: Json): Json => {
    // Most numbers are short; a list may have a million.
    if (!presets.includes("card") || (typeof value === "number" && !(value >= 1e13))) return value;
    const digits = JSON.stringify(value);
    const masked = /^\d+$/.test(digits) ? plainText(digits) : digits;
    return masked === digits ? value : masked;
  };

  const textAt = (text: string, nodes: readonly PathNode[], depth: number): string => {
    const nested = parseNested(text, maxDepth - depth);
    if (nested === undefined) return plainText(text);
    const before = changes;
    const masked = valueAt(nested, nodes, false, depth);
    // Of a key that occurs twice only the last value was parsed.
    return changes === before && plainText(text) === text ? text : JSON.stringify(masked);
  };

  const entryAt = (key: string, value: Json, nodes: readonly PathNode[], isUsage: boolean, depth: number): Json => {
    const nodesBelow = stepInto(nodes, key);
    const rule = keyRule(key) ?? pathRule(nodesBelow);
    if (rule === null || (isUsage && isNumber(value))) return valueAt(value, nodesBelow, isUsage, depth + 1);
    changes += 1;
    return value === null ? null : markOf(rule);
  };

  const valueAt = (value: Json, nodes: readonly PathNode[], isUsage: boolean, depth: number): Json => {
    if (typeof value === "string") return textAt(value, nodes, depth);
    if (isNumber(value)) return isUsage ? value : number(value);
    if (Array.isArray(value))
      return value.map((item: Json, at) => {
        const nodesBelow = stepInto(nodes, String(at));
        const rule = pathRule(nodesBelow);
        if (rule === null) return valueAt(item, nodesBelow, isUsage, depth + 1);
        changes += 1;
        return item === null ? null : markOf(rule);
      });
    return isObject(value) ? entries(value, (key, each) => entryAt(key, each, nodes, isUsage, depth)) : value;
  };

  const entries: Masker["entries"] = (object, maskEntry) => {
    const [masked, counts] = [new Map<string, Json>(), new Map<string, number>()];
    for (const [key, value] of Object.entries(object)) {
      const name = plainText(key);
      let unique = name;
      while (masked.has(unique)) {
        const count = (counts.get(name) ?? 1) + 1;
        counts.set(name, count);
        unique = `${name} ${count}`;
      }
      masked.set(unique, maskEntry(key, value));
    }
    return Object.fromEntries(masked);
  };

  return {
    paths: root,
    ruleOf: (field, nodes) => exact.get(field) ?? pathRule(nodes),
    markOf,
    text: (text, nodes = []) => textAt(text, nodes, 0),
    value: (value, nodes = [], isUsage = false) => valueAt(value, nodes, isUsage, 0),
    entries,
    entry: (key, value, nodes) => entryAt(key, value, nodes, false, 0),
  };
};

const maskers = new WeakMap<MaskingRules, Masker>();

/** Returns the masker of a project's rules, the same for the same object; null without rules, so that nothing is looked at. */
export const maskerOf = (rules: MaskingRules): Masker | null => {
  if (ruleCount(rules) === 0) return null;
  const existing = maskers.get(rules) ?? masker(rules);
  maskers.set(rules, existing);
  return existing;
};
