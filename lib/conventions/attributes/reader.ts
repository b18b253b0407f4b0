import { modelHost } from "../../domain/traces/model-host.ts";
import { isObject, labelText, toDouble, type Json, type JsonObject } from "../../domain/json.ts";
import { isList, parseEmbeddedJson } from "./embedded-json.ts";
import type { ExportedSpan } from "./exported-span.ts";

/** A value read from a span, with the attributes it was read from. */
export interface ReadResult<Value> {
  readonly value: Value;
  readonly keys: readonly string[];
  /** Attributes that contain more than the value; they are also stored in `otel.attributes`. */
  readonly retainedKeys?: readonly string[];
}

/** Reads one field from the attributes or events of a span; null if the span has no value for it. */
export interface Reader<Value> {
  (span: ExportedSpan): ReadResult<Value> | null;
  /**
   * Attributes that this reader depends on, if known. When the field already has a value, the attributes are marked as redundant
   * without calling the reader, since parsing their JSON is the most expensive step.
   */
  readonly names?: readonly string[];
  readonly sources?: Sources;
}

/**
 * Where a reader takes its value from, for documentation: attribute names, in which `N` is a number and a `*` at the end any
 * rest, or Markdown in parentheses. A reader of an object has those of each key; those of other keys are under `""`.
 */
type Sources = Readonly<Record<string, readonly string[]>>;

/** Returns the reader with its sources. @param sources those of a whole value, or of each key of an object. */
export const documentedAs = <Value>(sources: readonly string[] | Sources, reader: Reader<Value>): Reader<Value> =>
  Object.assign(reader, { sources: isList(sources) ? { "": sources } : sources });

const withNames = <Value>(names: readonly string[], reader: Reader<Value>): Reader<Value> =>
  Object.assign(documentedAs(names, reader), { names });

/** Returns a reader with the names and sources of the reader that it calls. */
export const like = <Value>(
  { names, sources }: Pick<Reader<unknown>, "names" | "sources">,
  reader: Reader<Value>,
): Reader<Value> =>
  Object.assign<Reader<Value>, Pick<Reader<unknown>, "names" | "sources">>(reader, {
    ...(names !== undefined && { names }),
    ...(sources !== undefined && { sources }),
  });

const unquote = (value: Json): Json => {
  if (typeof value !== "string" || !/^".*"$/su.test(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "string" ? parsed : value;
  } catch {
    return value;
  }
};

/** Reads an attribute that is a non-empty text. */
export const textAt = (name: string): Reader<string> =>
  withNames([name], ({ attributes }) => {
    const value = attributes[name];
    return typeof value === "string" && value !== "" ? { value, keys: [name] } : null;
  });

/** Reads a non-empty attribute of any type; a text that contains a JSON object or list is parsed. */
export const jsonAt = (name: string): Reader<Json> =>
  withNames([name], ({ attributes }) => {
    const value = attributes[name] ?? null;
    return value === null || value === "" ? null : { value: parseEmbeddedJson(value), keys: [name] };
  });

/** Returns a reader that converts the value of `reader` with the span; its result is null if `transform` returns null. */
export const mapSpanReader = <From, To>(
  reader: Reader<From>,
  transform: (value: From, span: ExportedSpan) => To | null,
): Reader<To> =>
  like(reader, (span) => {
    const result = reader(span);
    const value = result === null ? null : transform(result.value, span);
    return result === null || value === null ? null : { ...result, value };
  });

/** Returns a reader that converts the value of `reader`; its result is null if `transform` returns null. */
export const mapReader = <From, To>(reader: Reader<From>, transform: (value: From) => To | null): Reader<To> =>
  mapSpanReader(reader, (value) => transform(value));

/** Reads an attribute that is a label: a non-empty text, or a number or boolean as text, since databases number users and sessions. */
export const labelAt = (name: string): Reader<string> =>
  withNames([name], ({ attributes }) => {
    const value = labelText(attributes[name]);
    return value === null ? null : { value, keys: [name] };
  });

/** Returns a reader whose attributes are stored as well if one of them matches `pattern`: what it removes is not lost. */
export const retaining = <Value>(pattern: RegExp, reader: Reader<Value>): Reader<Value> =>
  like(reader, (span) => {
    const result = reader(span);
    const isMatch = result?.keys.some((key) => pattern.test(JSON.stringify(span.attributes[key]))) ?? false;
    return result === null || !isMatch ? result : { ...result, retainedKeys: result.keys };
  });

/** Returns a reader of an object attribute that is stored as well if the object has entries which are not read. */
export const retainingOthers = <Value>(
  name: string,
  isRead: (key: string, value: Json) => boolean,
  reader: Reader<Value>,
): Reader<Value> =>
  like(reader, (span) => {
    const [result, sent] = [reader(span), parseEmbeddedJson(span.attributes[name] ?? null)];
    const hasOthers = isObject(sent) && !Object.entries(sent).every(([key, value]) => isRead(key, value));
    return result === null || !hasOthers ? result : { ...result, retainedKeys: result.keys };
  });

/** Returns a reader that does not mark its attributes as used, so that they stay in the metadata. */
export const withoutConsuming = <Value>(reader: Reader<Value>): Reader<Value> =>
  like({ ...reader, names: [] }, (span) => {
    const result = reader(span);
    return result === null ? null : { value: result.value, keys: [] };
  });

/** Reads an attribute whose value, or each text of a list, is JSON-encoded; plain texts are in quotation marks. */
export const encodedAt = (name: string): Reader<Json> =>
  withNames([name], (span) => {
    const decoded = (value: Json): Json => unquote(parseEmbeddedJson(value));
    const isTexts = isList(span.attributes[name]);
    return mapReader(jsonAt(name), (value) => (isTexts && isList(value) ? value.map(decoded) : decoded(value)))(span);
  });

/** Reads an attribute that is an object, or a text that contains a JSON object. */
export const objectAt = (name: string): Reader<JsonObject> =>
  mapReader(jsonAt(name), (value) => (isObject(value) ? value : null));

/** Reads the first label among `keys` of an object attribute; the attribute stays in the metadata. */
export const textIn = (name: string, ...keys: readonly string[]): Reader<string> =>
  documentedAs(
    [`(\`${keys.join("`, `")}\` in \`${name}\`)`],
    withoutConsuming(
      mapReader(
        objectAt(name),
        (value) => keys.map((key) => labelText(value[key])).find((each) => each !== null) ?? null,
      ),
    ),
  );

/** Returns a value as a finite number of 0 or more, else null; numbers in texts, as some exporters send them, are parsed. */
export const nonNegativeNumber = (value: Json | undefined): number | null => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : toDouble(value);
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : null;
};

const amountsFrom = (values: JsonObject, names: Sources) =>
  Object.entries(names).flatMap(([target, sources]) => {
    const key = sources.find((name) => nonNegativeNumber(values[name]) !== null);
    return key === undefined ? [] : [{ target, key, value: nonNegativeNumber(values[key]) }];
  });

/** Reads numbers from an object attribute, each from the first of several keys with a number; null without a number. */
export const amountsIn = (reader: Reader<JsonObject>, names: Sources): Reader<JsonObject> =>
  documentedAs(
    Object.fromEntries(
      Object.keys(names).map((target) => [target, (reader.sources?.[""] ?? []).map((name) => `(in \`${name}\`)`)]),
    ),
    mapReader(reader, (values) => {
      const amounts = amountsFrom(values, names);
      return amounts.length === 0 ? null : Object.fromEntries(amounts.map(({ target, value }) => [target, value]));
    }),
  );

/** Reads numbers from a span, each from the first of several attributes with a number; null without a number. */
export const amountsAt = (names: Sources): Reader<JsonObject> =>
  documentedAs(names, ({ attributes }) => {
    const amounts = amountsFrom(attributes, names);
    if (amounts.length === 0) return null;
    return {
      value: Object.fromEntries(amounts.map(({ target, value }) => [target, value])),
      keys: amounts.map(({ key }) => key),
    };
  });

/** Reads the service tier of a call as `service_tier`; null for the tier that a provider chooses (`auto`). */
export const tierAt = (name: string): Reader<JsonObject> =>
  documentedAs(
    { service_tier: [name] },
    mapReader(textAt(name), (tier) => (tier === "auto" ? null : { service_tier: tier })),
  );

/** Reads the host of a model from its provider's name or server; the attribute stays in the metadata. */
export const hostAt = (name: string): Reader<string> => withoutConsuming(mapReader(textAt(name), modelHost));

/** Reads an attribute with a fixed set of values and maps the value, for example `chat` to `LLM`; null for unknown values. */
export const enumAt = <Word extends string>(name: string, words: Readonly<Record<string, Word>>): Reader<Word> =>
  withNames([name], ({ attributes }) => {
    const value = attributes[name];
    const word = typeof value === "string" && Object.hasOwn(words, value) ? words[value] : undefined;
    return word === undefined ? null : { value: word, keys: [name] };
  });

/**
 * Reads all attributes that begin with a prefix as an object without the prefix; null without any.
 *
 * @param excluded attributes to leave out; a name that ends with a dot is a prefix.
 */
export const attributesUnder = (prefix: string, excluded: readonly string[] = []): Reader<JsonObject> =>
  documentedAs([`${prefix}*`], ({ attributes }) => {
    const isExcluded = (key: string): boolean =>
      excluded.some((name) => (name.endsWith(".") ? key.startsWith(name) : key === name));
    const keys = Object.keys(attributes).filter((key) => key.startsWith(prefix) && !isExcluded(key));
    if (keys.length === 0) return null;
    return { value: Object.fromEntries(keys.map((key) => [key.slice(prefix.length), attributes[key] ?? null])), keys };
  });

/** Same as `attributesUnder`, for values that are JSON-encoded: JSON in a text, or a text in quotation marks. */
export const encodedUnder = (prefix: string, excluded: readonly string[] = []): Reader<JsonObject> =>
  mapReader(attributesUnder(prefix, excluded), (values) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, unquote(parseEmbeddedJson(value))])),
  );

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
