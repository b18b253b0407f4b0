import { randomBytes } from "node:crypto";
import { isAsWritten, survivesDouble } from "../domain/number-text.ts";
import type { ViolationType } from "../domain/violation-types.ts";

/** Nesting of a whole body: the 100 levels of a free-form field and the body's own around it. */
const maxDepth = 105;

/** Stands before what was guarded; random, so that no client can write it. */
const guard = `assay-${randomBytes(16).toString("hex")}:`;

const guardedKeys = new Set(["__proto__", "constructor"]);
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const gap = /[\t\n\r ]*/y;

type Flaw = { readonly offset: number; readonly msg: string; readonly type: ViolationType };

interface Screened {
  /** The text with every number and key guarded that `JSON.parse` would change. */
  readonly text: string;
  readonly flaw: Flaw | null;
  /** Objects and lists, up to the flaw. */
  readonly containers: number;
}

const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end;
    while (text[slashes - 1] === "\\") slashes -= 1;
    if ((end - slashes) % 2 === 0) return end;
  }
  return text.length;
};

const nextTokenIsColon = (text: string, from: number): boolean => {
  gap.lastIndex = from;
  gap.test(text);
  return text[gap.lastIndex] === ":";
};

const decoded = (literal: string): string | null => {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    // Malformed: the parser that follows says so, with its offset.
    return null;
  }
};

/**
 * Looks once over a JSON text before it is parsed: finds nesting that is too deep and numbers that are not finite, and
 * guards what parsing would lose: numbers that would be written otherwise afterwards, and keys that would reach a prototype.
 *
 * @param keeps of numbers: how they were written, or what they are only, in protocols that have more than one way to write them.
 */
export const screenJson = (text: string, keeps: "notation" | "value" = "notation"): Screened => {
  const survives = keeps === "notation" ? isAsWritten : survivesDouble;
  const isChanged = (literal: string): boolean => literal.length > 1 && !survives(literal);
  const pieces: string[] = [];
  let copied = 0;
  let [depth, containers] = [0, 0];
  const replace = (from: number, to: number, by: string): void => {
    pieces.push(text.slice(copied, from), by);
    copied = to;
  };
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      const end = endOfString(text, index);
      const literal = text.slice(index, end + 1);
      if (literal.length < 80 && nextTokenIsColon(text, end + 1)) {
        const key = decoded(literal);
        if (key !== null && guardedKeys.has(key)) replace(index, end + 1, JSON.stringify(guard + key));
      }
      index = end;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      containers += 1;
      if (depth > maxDepth) {
        const flaw = { offset: index, msg: "Input is nested too deeply", type: "json_too_deep" } as const;
        return { text, flaw, containers };
      }
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      number.lastIndex = index;
      const literal = number.exec(text)?.[0];
      if (literal === undefined) continue;
      if (!Number.isFinite(Number(literal))) {
        const flaw = { offset: index, msg: "Number is not finite", type: "json_not_finite" } as const;
        return { text, flaw, containers };
      }
      const end = index + literal.length;
      // A number in a key's place stays: quoted, it would make a malformed text JSON.
      if (isChanged(literal) && !nextTokenIsColon(text, end)) {
        replace(index, end, JSON.stringify(`${guard}${literal}`));
      }
      index += literal.length - 1;
    }
  }
  if (pieces.length === 0) return { text, flaw: null, containers };
  pieces.push(text.slice(copied));
  return { text: pieces.join(""), flaw: null, containers };
};

const withoutGuards = (value: object): object => {
  if (!Object.keys(value).some((key) => key.startsWith(guard))) return value;
  const restored = {};
  for (const [key, child] of Object.entries(value)) {
    Object.defineProperty(restored, key.startsWith(guard) ? key.slice(guard.length) : key, {
      value: child,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return restored;
};

/** Reviver for `JSON.parse` of a screened text: gives guarded numbers back digit for digit, and guarded keys as own keys. */
export const restoreGuarded = (_key: string, value: unknown): unknown => {
  if (typeof value === "string") return value.startsWith(guard) ? JSON.rawJSON(value.slice(guard.length)) : value;
  // Storage knows no -0: kept, it would make every delivery of it a change.
  if (value === 0) return 0;
  if (typeof value !== "object" || value === null || Array.isArray(value) || JSON.isRawJSON(value)) return value;
  return withoutGuards(value);
};
