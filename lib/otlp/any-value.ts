import * as v from "valibot";
import { toDouble, type Json, type JsonObject } from "../domain/json.ts";
import { survivesDouble } from "../domain/number-text.ts";

const whole = /^-?\d{1,20}$/;

const number = (text: string): Json => (survivesDouble(text) ? Number(text) || 0 : JSON.rawJSON(text));

/** A 64-bit number, which comes as text or as a number; digits a double would change stay. */
const int64 = (value: unknown): Json | undefined => {
  if (typeof value === "string") return whole.test(value) ? number(value) : undefined;
  return typeof value === "number" || JSON.isRawJSON(value) ? value : undefined;
};

/** JSON has no NaN and no infinities: they stay the words that OTLP's JSON has for them. */
const double = (value: unknown): Json | undefined => {
  const read = toDouble(value);
  if (typeof read === "number") return read || 0;
  return typeof read === "string" ? read : undefined;
};

const record = v.record(v.string(), v.unknown());
const list = v.object({ values: v.optional(v.array(v.unknown()), []) });
const pairs = v.object({ values: v.optional(v.array(v.object({ key: v.string(), value: v.unknown() })), []) });

/** The JSON value of an `AnyValue`; null for one that is empty or of a kind not known. */
export const plainValue = (value: unknown): Json => {
  if (!v.is(record, value)) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  if (intValue !== undefined) return int64(intValue) ?? null;
  if (doubleValue !== undefined) return double(doubleValue) ?? null;
  if (typeof bytesValue === "string") return bytesValue;
  if (v.is(list, arrayValue)) return (arrayValue.values ?? []).map(plainValue);
  return v.is(pairs, kvlistValue) ? plainObject(kvlistValue.values ?? []) : null;
};

/** The JSON object of a list of keys and values; the last of a key counts. */
export const plainObject = (attributes: readonly { readonly key: string; readonly value?: unknown }[]): JsonObject =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
