import * as v from "valibot";
import { mostViolations } from "../domain/refusal.ts";
import { inJson } from "./json-schema.ts";

/** Finds what an object schema lets pass: a list, and every key that is not one of these. */
const nothingBut = (keys: object) =>
  v.pipe(
    v.unknown(),
    v.rawCheck(({ dataset, addIssue }) => {
      const input: unknown = dataset.value;
      if (typeof input !== "object" || input === null) return;
      if (Array.isArray(input)) {
        addIssue({ message: "Input should be a valid dictionary" });
        return;
      }
      const others = Object.entries(input).filter(([key]) => !Object.hasOwn(keys, key));
      const whole = { ...input };
      for (const [key, value] of others.slice(0, mostViolations)) {
        const path = { type: "object", origin: "key", input: whole, key, value } as const;
        addIssue({ message: "Extra inputs are not permitted", expected: "never", path: [path] });
      }
    }),
    v.transform(() => ({})),
    inJson({ type: "object", additionalProperties: false }),
  );

/** An object that takes no other key: a misspelt one would be ignored, and cost money. */
export const closedObject = <const Keys extends v.ObjectEntries>(keys: Keys) =>
  v.intersect([v.object(keys, "Input should be a valid dictionary"), nothingBut(keys)]);

type WithoutNulls<T> = { readonly [Key in keyof T]?: NonNullable<T[Key]> };

/** An object without the keys whose value is null. */
export const withoutNulls = <T extends object>(object: T): WithoutNulls<T> => {
  const given: { -readonly [Key in keyof T]?: NonNullable<T[Key]> } = {};
  for (const key in object) {
    const value = object[key];
    if (value !== null && value !== undefined) given[key] = value;
  }
  return given;
};
