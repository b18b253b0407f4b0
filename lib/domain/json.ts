/**
 * Any JSON value. A number that a double cannot reproduce digit for digit is a `JSON.rawJSON` object and serializes
 * unchanged.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

declare global {
  interface JSON {
    /** Creates an object that serializes as the number `text`, digit for digit. */
    rawJSON(text: string): { readonly rawJSON: string };
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
  }
}

/** False in browsers before 2025, which have no raw JSON numbers. */
const hasRawNumbers = "isRawJSON" in JSON;

/** True for a raw JSON number, which keeps its digits. */
const isRawNumber = (value: unknown): value is { readonly rawJSON: string } => hasRawNumbers && JSON.isRawJSON(value);

/** Converts a raw JSON number to the nearest double, never -0; other values are returned unchanged. */
export const toDouble = (value: unknown): unknown => (isRawNumber(value) ? Number(value.rawJSON) || 0 : value);

/** Returns the text of a label: a text that is not empty, or a number or boolean as JSON has it; null for any other value. */
export const labelText = (value: unknown): string | null => {
  if (typeof value === "string") return value === "" ? null : value;
  return typeof value === "number" || typeof value === "boolean" || isRawNumber(value) ? JSON.stringify(value) : null;
};

/** Returns a value that is a string; an empty string for any other. */
export const stringOrEmpty = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** True if a JSON value is an object with keys; raw JSON numbers are not. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** Returns an object without the entries that are null or undefined. */
export const presentEntries = <Value>(
  entries: Readonly<Record<string, Value | null | undefined>>,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Value] => entry[1] !== null && entry[1] !== undefined),
  );

/** Returns the same entries, without those that are null or undefined, with a prefix before their keys. */
export const prefixed = (prefix: string, entries: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(presentEntries(entries)).map(([key, value]) => [prefix + key, value]));

/** Returns an object without the keys that another one has. */
export const withoutKeys = <Value>(
  entries: Readonly<Record<string, Value>>,
  keys: object,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(entries).filter(([key]) => !Object.hasOwn(keys, key)));

/** Returns the number at a key of an object; 0 without one. */
export const numberAt = (values: JsonObject | null, key: string): number => {
  const value = toDouble(values?.[key] ?? 0);
  return typeof value === "number" ? value : 0;
};

const decimalNumber = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Returns a unique form of a decimal number: `12.50` and `1.25e1` give the same text. */
const canonical = (text: string): string => {
  const match = decimalNumber.exec(text);
  if (match === null) return text;
  const [, sign = "", integerDigits = "", fraction = "", exponent = "0"] = match;
  const digits = `${integerDigits}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/(?<!0)0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`;
};

/** True if a decimal number keeps its value when it is converted to a double and back. */
export const fitsDouble = (text: string): boolean => {
  const value = Number(text);
  return Number.isFinite(value) && canonical(text) === canonical(String(value));
};

/** True if a number is written exactly as JavaScript prints it: false for `1.0`, `-0` and `1e2`. */
export const isShortestForm = (text: string): boolean => String(Number(text)) === text;

/**
 * Matches JSON texts that may contain a number which a double cannot reproduce. A match inside a string only costs
 * time.
 */
const inexactNumberHint = /[\d.]{16}|\d[eE][+-]?\d|(?:^|[:,[])(?:-0|-?\d+\.\d*0)(?:[,}\]]|$)/;

type Source = { readonly source?: string };

const keepNumbers = (_key: string, value: unknown, context?: Source): unknown =>
  typeof value === "number" && context?.source !== undefined && !isShortestForm(context.source)
    ? JSON.rawJSON(context.source)
    : value;

/** Returns the index of the quotation mark that ends the string which begins at `start` of a JSON text, or the text's length. */
export const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end;
    while (text[slashes - 1] === "\\") slashes -= 1;
    if ((end - slashes) % 2 === 0) return end;
  }
  return text.length;
};

/** Returns the number of values in a JSON text, in which empty lists and objects count twice. */
export const valuesIn = (text: string): number => {
  let values = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = endOfString(text, index);
    else if (code === 0x2c || code === 0x5b || code === 0x7b) values += 1;
  }
  return values;
};

/** True if two JSON values are equal; the order of keys does not matter. Much faster than a comparison of any objects. */
export const equalsJson = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other) || isRawNumber(one) !== isRawNumber(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && equalsJson(Reflect.get(one, key), Reflect.get(other, key)))
  );
};

/** Returns the unique form of a number; null for other values. */
const numberForm = (value: unknown): string | null => {
  if (typeof value === "number") return canonical(String(value));
  return isRawNumber(value) ? canonical(value.rawJSON) : null;
};

/** True if two JSON values are equal, whatever the order of keys and the form of numbers: 1, 1.0 and 1e0 are one. Nesting has no limit. */
export const hasEqualValue = (one: Json, other: Json): boolean => {
  const open: [unknown, unknown][] = [[one, other]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [a, b] = pair;
    const [formA, formB] = [numberForm(a), numberForm(b)];
    if (
      formA !== null ||
      formB !== null ||
      typeof a !== "object" ||
      typeof b !== "object" ||
      a === null ||
      b === null
    ) {
      if (formA !== formB || (formA === null && a !== b)) return false;
      continue;
    }
    const keys = Object.keys(a);
    if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      open.push([Reflect.get(a, key), Reflect.get(b, key)]);
    }
  }
  return true;
};

/** Parses JSON written by this service without changing the digits of its numbers. @throws SyntaxError */
export const parseLossless = (text: string): Json => {
  const value: Json = inexactNumberHint.test(text) ? JSON.parse(text, keepNumbers) : JSON.parse(text);
  return value;
};
