import { isObject, fitsDouble, type Json, type JsonObject } from "../../domain/json.ts";
import { abbreviate } from "../../domain/text.ts";
import type { DecodedMessage } from "./decode-message.ts";
import { anyValue, itemFields, type FieldKind, type ProtobufField, type ProtobufMessage } from "./protobuf-messages.ts";

/** Names of fields before OTLP 0.19, in the form of `plainName`. */
const earlierNames: Readonly<Record<string, string>> = {
  instrumentationlibraryspans: "scopespans",
  instrumentationlibrarylogs: "scopelogs",
  instrumentationlibrarymetrics: "scopemetrics",
  instrumentationlibrary: "scope",
  logs: "logrecords",
};

/** Returns the form of a name in which `resourceSpans`, `resource_spans` and `ResourceSpans` are equal. */
const plainName = (name: string): string => {
  const plain = name.replaceAll("_", "").toLowerCase();
  return Object.hasOwn(earlierNames, plain) ? (earlierNames[plain] ?? plain) : plain;
};

const fieldsByMessage = new WeakMap<ProtobufMessage, ReadonlyMap<string, ProtobufField>>();

const fieldsOf = (message: ProtobufMessage): ReadonlyMap<string, ProtobufField> => {
  const fields =
    fieldsByMessage.get(message) ??
    new Map([...message.values()].flatMap((field) => [field[0], plainName(field[0])].map((name) => [name, field])));
  fieldsByMessage.set(message, fields);
  return fields;
};

const literalOf = (value: Json): string =>
  typeof value === "string" ? value.trim() : isObject(value) || Array.isArray(value) ? "" : JSON.stringify(value);

/** Returns the digits of an integer, also of one with an exponent or with decimals that are zero; undefined for any other value. */
const integer = (value: Json): string | undefined => {
  const literal = literalOf(value);
  if (/^-?\d{1,400}$/u.test(literal)) return String(BigInt(literal));
  return literal !== "" && Number.isInteger(Number(literal)) ? String(BigInt(Number(literal))) : undefined;
};

const unsigned = (value: Json): number | undefined => {
  const number = Number(integer(value) ?? -1);
  return number >= 0 && number < 2 ** 32 ? number : undefined;
};

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/** Returns a number; NaN and infinities, which JSON lacks, stay texts (`"NaN"`, `"Infinity"`). */
const double = (value: Json): Json | undefined => {
  const literal = literalOf(value);
  if (literal === "" || (Number.isNaN(Number(literal)) && literal !== "NaN")) return undefined;
  if (!Number.isFinite(Number(literal))) return literal;
  return fitsDouble(literal) || !jsonNumber.test(literal) ? Number(literal) : JSON.rawJSON(literal);
};

/** Returns hex digits of bytes; protobuf's own JSON has base64, here of a trace id (16 bytes) or a span id (8 bytes). */
const hex = (value: Json): string | undefined => {
  if (typeof value !== "string") return undefined;
  return /^(?:[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{11}=)$/u.test(value)
    ? Buffer.from(value, "base64").toString("hex")
    : value;
};

/** Returns the number of an enum's value that is sent as a number or by its name: `STATUS_CODE_ERROR`, `error`. */
const enumNumber = (names: readonly string[], value: Json): number | undefined => {
  const word = typeof value === "string" ? value.toUpperCase() : "";
  const at = word === "" ? -1 : names.findIndex((name) => name === word || name.endsWith(`_${word}`));
  return at === -1 ? unsigned(value) : at;
};

const textOnly = (value: Json): string | undefined => (typeof value === "string" ? value : undefined);

/** Convert a value to a scalar of a type; undefined if it has another type. */
const scalars: Readonly<Record<Extract<FieldKind, string>, (value: Json) => Json | undefined>> = {
  text: (value) => textOnly(value) ?? (literalOf(value) || undefined),
  bool: (value) => [true, false].find((each) => value === each || value === String(each)),
  int64: integer,
  fixed64: integer,
  uint32: unsigned,
  fixed32: unsigned,
  double,
  bytes: textOnly,
  hex,
};

/** Wraps a plain value of an attribute, which programs send that write OTLP by hand. */
const wrapped = (value: Json): JsonObject | null => {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return typeof value === "number" || JSON.isRawJSON(value) ? { doubleValue: value } : null;
};

/** Result of reading a JSON body: the message, and sentences about what of it is not read. */
interface JsonReading {
  readonly message: DecodedMessage;
  readonly flaws: readonly string[];
  /** False if the body has fields and none of them is known. */
  readonly isKnown: boolean;
}

const listed = (names: ReadonlySet<string>): string => abbreviate([...names].slice(0, 5).join(", "), 200);

/**
 * Reads OTLP's JSON encoding by the field table of its protobuf message, as generators of protobuf's JSON write it: names in snake case and
 * those of OTLP before 0.19, numbers as texts, enums by name, ids in base64. A field of another type is left out and named; an item
 * of another type is empty, so that it is rejected alone.
 */
export const decodeJson = (body: unknown, root: ProtobufMessage): JsonReading => {
  const [mistyped, unknown] = [new Set<string>(), new Set<string>()];
  let items = 0;

  const fieldValue = (name: string, kind: FieldKind, value: Json, isContainer: boolean): unknown => {
    if (typeof kind === "string") return scalars[kind](value);
    if (typeof kind === "object") return enumNumber(kind, value);
    const message = kind();
    const object = isObject(value) ? value : message === anyValue ? wrapped(value) : null;
    if (object !== null) return read(object, message, isContainer);
    return itemFields.has(name) ? {} : undefined;
  };

  /** Returns the elements of a repeated field; any other value than a list is a single element if it has a known field. */
  const elementsOf = (name: string, kind: FieldKind, value: Json, isContainer: boolean): readonly unknown[] => {
    if (Array.isArray(value))
      return (value as readonly Json[]).map((each) => fieldValue(name, kind, each, isContainer));
    const element = fieldValue(name, kind, value, isContainer);
    return [isObject(value) && Object.keys(Object(element)).length > 0 ? element : undefined];
  };

  /** Reads a message. @param isContainer true if it holds items, and not a part of one. */
  const read = (object: JsonObject, message: ProtobufMessage, isContainer: boolean): DecodedMessage => {
    const fields = fieldsOf(message);
    const result: Record<string, unknown> = {};
    const lists: Record<string, unknown[]> = {};
    for (const [key, value] of Object.entries(object)) {
      const field = fields.get(key) ?? fields.get(plainName(key));
      if (field === undefined && isContainer) unknown.add(key);
      if (field === undefined || value === null) continue;
      const [name, kind, repeated] = field;
      if (itemFields.has(name)) items += 1;
      if (repeated === undefined) {
        const single = fieldValue(name, kind, value, false);
        if (single === undefined) mistyped.add(name);
        else result[name] = single;
        continue;
      }
      const list = (lists[name] ??= []);
      for (const element of elementsOf(name, kind, value, isContainer && !itemFields.has(name))) {
        if (element === undefined) mistyped.add(name);
        else list.push(element);
      }
    }
    return { ...result, ...lists };
  };

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parser of the body returns JSON values only.
  const value = body as Json;
  const object = isObject(value) ? value : {};
  const message = read(object, root, true);
  return {
    message,
    flaws: [
      ...(mistyped.size > 0 ? [`Not read, as of another type: ${listed(mistyped)}.`] : []),
      ...(unknown.size > 0 && items === 0 ? [`Nothing is read: unknown are ${listed(unknown)}.`] : []),
    ],
    isKnown: isObject(value) && (Object.keys(object).length === 0 || Object.keys(message).length > 0),
  };
};
