import * as v from "valibot";
import { instantAt, type Instant } from "../../domain/instant.ts";
import { toDouble, type Json, type JsonObject, fitsDouble } from "../../domain/json.ts";

const integerText = /^-?\d{1,20}$/;

const number = (text: string): Json => (fitsDouble(text) ? Number(text) || 0 : JSON.rawJSON(text));

/** Parses a 64-bit integer, sent as text or as a number. All digits are kept, also those that a double cannot represent; more are a text. */
const int64 = (value: unknown): Json | undefined => {
  if (typeof value === "string") return integerText.test(value) ? number(value) : value;
  return typeof value === "number" || JSON.isRawJSON(value) ? value : undefined;
};

/** Parses a double. NaN and infinities, which JSON lacks, stay texts (`"NaN"`, `"Infinity"`), as in OTLP's JSON encoding. */
const double = (value: unknown): Json | undefined => {
  const parsed = toDouble(value);
  if (typeof parsed === "number") return parsed || 0;
  return typeof parsed === "string" ? parsed : undefined;
};

/** Nesting from which on a value becomes its JSON: less than the 100 levels that can be stored, as it lies within metadata. */
const maxDepth = 80;

const record = v.record(v.string(), v.unknown());
const list = v.object({ values: v.optional(v.array(v.unknown()), []) });
const pairs = v.object({
  values: v.optional(v.array(v.object({ key: v.optional(v.string()), value: v.unknown() })), []),
});

/** Converts an OTLP `AnyValue` to its JSON value; null for an empty value or an unknown kind. @param depth lists and objects around it. */
export const plainValue = (value: unknown, depth = 0): Json => {
  if (!v.is(record, value)) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  if (intValue !== undefined) return int64(intValue) ?? null;
  if (doubleValue !== undefined) return double(doubleValue) ?? null;
  if (typeof bytesValue === "string") return bytesValue;
  const within = (plain: Json): Json => (depth === maxDepth ? JSON.stringify(plain) : plain);
  if (v.is(list, arrayValue)) return within((arrayValue.values ?? []).map((each) => plainValue(each, depth + 1)));
  return v.is(pairs, kvlistValue) ? within(plainObject(kvlistValue.values ?? [], depth + 1)) : null;
};

/** Converts an OTLP list of key-value pairs to a JSON object; of several pairs with one key the last wins. */
export const plainObject = (
  attributes: readonly { readonly key?: string | undefined; readonly value?: unknown }[],
  depth = 0,
): JsonObject => Object.fromEntries(attributes.map(({ key = "", value }) => [key, plainValue(value, depth)]));

/** Parses nanoseconds since 1970; 0 for an unset time and for invalid numbers. */
export const nanosOf = (nanos: string | number | null | undefined): bigint =>
  /^\d{1,20}$/.test(String(nanos)) ? BigInt.asUintN(64, BigInt(nanos ?? 0)) : 0n;

/** Converts nanoseconds since 1970 to an instant of microsecond precision; null for 0 (which means unset) and for invalid numbers. */
export const instantOfNanos = (nanos: string | number | null | undefined): Instant | null => {
  const nanoseconds = nanosOf(nanos);
  if (nanoseconds === 0n) return null;
  const micros = String((nanoseconds / 1000n) % 1_000_000n).padStart(6, "0");
  const second = instantAt(Number(nanoseconds / 1_000_000_000n) * 1000);
  return micros === "000000" ? second : `${second.slice(0, 19)}.${micros}+00:00`;
};
