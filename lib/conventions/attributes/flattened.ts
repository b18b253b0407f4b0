import type { Json } from "../../domain/json.ts";
import { documentedAs, type Reader } from "./reader.ts";

/** Max dot-separated parts of an attribute name; longer names are not treated as flattened lists. */
const maxParts = 16;

type Node = Map<string, Node | Json>;

const isIndex = /^\d{1,5}$/;

const jsonOf = (node: Node | Json): Json => {
  if (!(node instanceof Map)) return node;
  const entries = [...node];
  if (!entries.every(([name]) => isIndex.test(name))) {
    return Object.fromEntries(entries.map(([name, child]) => [name, jsonOf(child)]));
  }
  return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, child]) => jsonOf(child));
};

/**
 * Reads a list of objects that was flattened into attributes: `prefix.0.role`, `prefix.0.tool_calls.1.name`. Null if the span has
 * no such attribute.
 */
export const flattenedAt = (prefix: string): Reader<readonly Json[]> =>
  documentedAs([`${prefix}.N.*`], ({ attributes }) => {
    const root: Node = new Map();
    const keys: string[] = [];
    const start = `${prefix}.`;
    // Hot loop: a span may have tens of thousands of attributes, which are searched for a dozen prefixes.
    for (const key of Object.keys(attributes)) {
      if (!key.startsWith(start)) continue;
      const parts = key.slice(prefix.length + 1).split(".");
      if (parts.length > maxParts || !isIndex.test(parts[0] ?? "")) continue;
      let node = root;
      for (const part of parts.slice(0, -1)) {
        const child = node.get(part);
        const next: Node = child instanceof Map ? child : new Map();
        if (next !== child) node.set(part, next);
        node = next;
      }
      node.set(parts.at(-1) ?? "", attributes[key] ?? null);
      keys.push(key);
    }
    const list = jsonOf(root);
    return keys.length > 0 && Array.isArray(list) ? { value: list, keys } : null;
  });
