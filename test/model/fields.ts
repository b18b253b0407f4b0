import type { Fields, Value } from "./exact-json.ts";
import { micros, type Micros } from "./instant.ts";

/** True if a member has a value; ingestion ignores absent and null members. */
export const hasValue = (fields: Fields, key: string): boolean =>
  Object.hasOwn(fields, key) && fields[key] !== undefined && fields[key] !== null;

export const textOf = (value: Value | undefined): string => {
  if (typeof value !== "string") throw new Error("The model was given no text where there is one.");
  return value;
};

export const textOrNull = (value: Value | undefined): string | null => (value == null ? null : textOf(value));

export const instantOrNull = (value: Value | undefined): Micros | null =>
  value == null ? null : micros(textOf(value));

export const objectOf = (value: Value | undefined): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error("The model was given no object where there is one.");
  }
  return value as Fields;
};

export const listOf = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? (value as Value[]) : []);

export const textsOf = (value: Value | undefined): readonly string[] => listOf(value).map(textOf);

/** Merges objects one level deep; keys of `added` replace those of `before`. */
export const merged = (before: Fields, added: Fields): Fields => {
  const both = new Map([...Object.entries(before), ...Object.entries(added)]);
  return Object.fromEntries(both);
};
