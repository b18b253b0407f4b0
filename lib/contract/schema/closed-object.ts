import * as v from "valibot";
import { nameAdvice } from "../../domain/nearest-name.ts";
import { maxViolations } from "../../domain/refusal.ts";
import { describedAs } from "./json-schema.ts";
import { partOf, partsOf } from "./schema-part.ts";

/** Schema that refuses arrays and unknown keys, both of which valibot's object schema accepts. @param keys the allowed keys. */
const onlyKeysOf = (keys: object) =>
  v.pipe(
    v.unknown(),
    v.rawCheck(({ dataset, addIssue }) => {
      const input: unknown = dataset.value;
      if (typeof input !== "object" || input === null) return;
      if (Array.isArray(input)) {
        addIssue({ message: "Input should be a valid dictionary" });
        return;
      }
      const unknownEntries = Object.entries(input).filter(([key]) => !Object.hasOwn(keys, key));
      const inputCopy = { ...input };
      for (const [key, value] of unknownEntries.slice(0, maxViolations)) {
        const path = { type: "object", origin: "key", input: inputCopy, key, value } as const;
        const message = `Extra inputs are not permitted${nameAdvice(key, Object.keys(keys))}`;
        addIssue({ message, expected: "never", path: [path] });
      }
    }),
    v.transform(() => ({})),
    describedAs({ type: "object", additionalProperties: false }),
  );

/** Object schema that refuses unknown keys with the nearest known one, because ignoring a misspelt filter or limit could cost money. */
export const closedObject = <const Keys extends v.ObjectEntries>(keys: Keys) =>
  v.intersect([v.object(keys, "Input should be a valid dictionary"), onlyKeysOf(keys)]);

/** True if a schema is a `closedObject`. */
export const isClosed = (schema: v.GenericSchema): boolean =>
  partsOf(partOf(schema)).some(({ type }) => type === "intersect");

type WithoutNulls<T> = { readonly [Key in keyof T]?: NonNullable<T[Key]> };

/** Returns a copy of an object without the keys whose value is null or undefined. */
export const withoutNulls = <T extends object>(object: T): WithoutNulls<T> => {
  const result: { -readonly [Key in keyof T]?: NonNullable<T[Key]> } = {};
  for (const key in object) {
    const value = object[key];
    if (value !== null && value !== undefined) result[key] = value;
  }
  return result;
};
