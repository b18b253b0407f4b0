import { parseLossless } from "../domain/lossless-json.ts";
import { toDouble, type Json, type JsonObject } from "../domain/json.ts";
import type { ExportedSpan } from "./exported-span.ts";

/** What a convention found in a span, and the attributes it was read from. */
export interface FoundValue<Value> {
  readonly value: Value;
  readonly keys: readonly string[];
  /** Attributes that say more than the value does: they are kept, out of sight. */
  readonly kept?: readonly string[];
}

/** Looks for one thing in a span; null when the span does not tell it in this convention. */
export interface Reader<Value> {
  (span: ExportedSpan): FoundValue<Value> | null;
  /**
   * The attributes that it looks at, where that is all there is to it: of a thing that is told already they are set aside without
   * being read. Reading costs more than all else: they are JSON in a text.
   */
  readonly names?: readonly string[];
}

const naming = <Value>(names: readonly string[] | undefined, read: Reader<Value>): Reader<Value> =>
  names === undefined ? read : Object.assign(read, { names });

/** Free-form data may be 100 levels deep, its place in a message counted. */
const maxDepth = 80;

const depthOf = (value: Json, limit: number): number => {
  if (typeof value !== "object" || value === null || limit === 0) return 0;
  let deepest = 0;
  for (const child of Object.values(value)) deepest = Math.max(deepest, depthOf(child, limit - 1));
  return deepest + 1;
};

/** JSON that was put into a text, as attributes have it; any other value as it is. */
export const structured = (value: Json): Json => {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    const parsed = parseLossless(value);
    return depthOf(parsed, maxDepth + 1) > maxDepth ? value : parsed;
  } catch {
    // A text that only begins like JSON.
    return value;
  }
};

const unquoted = (value: Json): Json => {
  if (typeof value !== "string" || !/^".*"$/su.test(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "string" ? parsed : value;
  } catch {
    return value;
  }
};

/** Whether a value is a JSON object. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** Whether a value is a JSON list. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** An attribute that is a text with something in it. */
export const textAt = (name: string): Reader<string> =>
  naming([name], ({ attributes }) => {
    const value = attributes[name];
    return typeof value === "string" && value !== "" ? { value, keys: [name] } : null;
  });

/** An attribute of any kind that is not empty, JSON in a text read. */
export const jsonAt = (name: string): Reader<Json> =>
  naming([name], ({ attributes }) => {
    const value = attributes[name] ?? null;
    return value === null || value === "" ? null : { value: structured(value), keys: [name] };
  });

/** What a reader found, made into something else. */
export const mapped = <From, To>(read: Reader<From>, make: (value: From) => To | null): Reader<To> =>
  naming(read.names, (span) => {
    const found = read(span);
    const value = found === null ? null : make(found.value);
    return found === null || value === null ? null : { ...found, value };
  });

/** What a reader found, its attributes kept where they are as well: they say more than that. */
export const peeked = <Value>(read: Reader<Value>): Reader<Value> =>
  naming([], (span) => {
    const found = read(span);
    return found === null ? null : { value: found.value, keys: [] };
  });

/** An attribute that is JSON in a text, or in a list of texts, where even a text stands in quotation marks. */
export const encodedAt = (name: string): Reader<Json> =>
  naming([name], (span) => {
    const decoded = (value: Json): Json => unquoted(structured(value));
    const isTexts = isList(span.attributes[name]);
    return mapped(jsonAt(name), (value) => (isTexts && isList(value) ? value.map(decoded) : decoded(value)))(span);
  });

/** An attribute that is an object, or JSON of one in a text. */
export const objectAt = (name: string): Reader<JsonObject> =>
  mapped(jsonAt(name), (value) => (isObject(value) ? value : null));

/** A text in an attribute that is an object, or JSON of one; the attribute is kept where it is as well. */
export const textIn = (name: string, ...keys: readonly string[]): Reader<string> =>
  peeked(
    mapped(objectAt(name), (value) => {
      const found = keys.map((key) => value[key]).find((each) => typeof each === "string" && each !== "");
      return typeof found === "string" ? found : null;
    }),
  );

/** A finite number of 0 or more; some exporters write numbers as text. */
export const amount = (value: Json | undefined): number | null => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : toDouble(value);
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : null;
};

type Names = Readonly<Record<string, readonly string[]>>;

const amountsFrom = (values: JsonObject, names: Names) =>
  Object.entries(names).flatMap(([ours, theirs]) => {
    const key = theirs.find((name) => amount(values[name]) !== null);
    return key === undefined ? [] : [{ ours, key, value: amount(values[key]) }];
  });

/** Amounts in an object by the names we have for them, each from the first of some entries; null when there is none. */
export const amountsIn =
  (names: Names) =>
  (values: JsonObject): JsonObject | null => {
    const found = amountsFrom(values, names);
    return found.length === 0 ? null : Object.fromEntries(found.map(({ ours, value }) => [ours, value]));
  };

/** The same in the attributes of a span. */
export const amountsAt =
  (names: Names): Reader<JsonObject> =>
  ({ attributes }) => {
    const found = amountsFrom(attributes, names);
    if (found.length === 0) return null;
    return {
      value: Object.fromEntries(found.map(({ ours, value }) => [ours, value])),
      keys: found.map(({ key }) => key),
    };
  };

/** One of some words, as another word. */
export const wordAt = <Word extends string>(name: string, words: Readonly<Record<string, Word>>): Reader<Word> =>
  naming([name], ({ attributes }) => {
    const value = attributes[name];
    const word = typeof value === "string" && Object.hasOwn(words, value) ? words[value] : undefined;
    return word === undefined ? null : { value: word, keys: [name] };
  });

/** Attributes that begin with a prefix, without it; null when there is none. An exception that ends in a dot is a prefix too. */
export const under =
  (prefix: string, except: readonly string[] = []): Reader<JsonObject> =>
  ({ attributes }) => {
    const isExcepted = (key: string): boolean =>
      except.some((name) => (name.endsWith(".") ? key.startsWith(name) : key === name));
    const keys = Object.keys(attributes).filter((key) => key.startsWith(prefix) && !isExcepted(key));
    if (keys.length === 0) return null;
    return { value: Object.fromEntries(keys.map((key) => [key.slice(prefix.length), attributes[key] ?? null])), keys };
  };

/** The same, where each value is JSON in a text, or a text in quotation marks. */
export const encodedUnder = (prefix: string, except: readonly string[] = []): Reader<JsonObject> =>
  mapped(under(prefix, except), (values) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, unquoted(structured(value))])),
  );
