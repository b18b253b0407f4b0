import type { APIGatewayProxyEvent } from "aws-lambda";
import type { GenericSchema } from "valibot";
import { partOf, partsOf, type Part } from "../contract/schema/schema-part.ts";
import type { Violation } from "../domain/refusal.ts";
import { bodyText, screenJson } from "./request-body.ts";

type Path = readonly (string | number)[];

/** Yields the paths of a value's unknown fields in the order in which they were sent; free-form and closed objects have none. */
const unknownFieldsIn = function* (schema: Part, value: object, path: Path): Generator<Path> {
  const parts = partsOf(schema);
  const { wrapped, item, entries } = parts.find((part) => part.wrapped ?? part.item ?? part.entries) ?? {};
  if (wrapped !== undefined) {
    yield* unknownFieldsIn(wrapped, value, path);
    return;
  }
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const part = item ?? (entries !== undefined && Object.hasOwn(entries, key) ? entries[key] : undefined);
    if (part === undefined && entries !== undefined) yield [...path, key];
    if (part !== undefined && typeof member === "object" && member !== null)
      yield* unknownFieldsIn(part, member, [...path, key]);
  }
};

/** Maximum number of fields that `X-Ignored-Fields` lists, and of characters of one of them. */
const [maxIgnoredFields, maxFieldCharacters] = [20, 100];

/**
 * Returns the unknown fields of a body as a reply names them, up to twenty: `filters.user`, `items.0.nme`. Characters
 * that a header cannot contain are percent-encoded.
 */
export const ignoredFieldsOf = (schema: GenericSchema, body: unknown): readonly string[] =>
  unknownFieldsIn(partOf(schema), Object(body), [])
    .take(maxIgnoredFields)
    .map((path) =>
      path.map((part) => encodeURIComponent(String(part).slice(0, maxFieldCharacters).toWellFormed())).join("."),
    )
    .toArray();

/** Returns violations for a body that was sent to a route without one: of each field, or of the whole if it is not an object. */
export const refusedBody = (event: APIGatewayProxyEvent): readonly Violation[] => {
  const text = bodyText(event);
  if (text.trim() === "") return [];
  screenJson(text);
  const [msg, type] = ["This request has no fields", "extra_forbidden"] as const;
  const whole = [{ loc: ["body"], msg, type }];
  try {
    const body: unknown = JSON.parse(text);
    if (body === null) return [];
    if (typeof body !== "object" || Array.isArray(body)) return whole;
    return Object.keys(body).map((name) => ({ loc: ["body", name], msg, type }));
  } catch {
    return whole;
  }
};
