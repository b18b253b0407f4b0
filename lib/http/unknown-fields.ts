import type { APIGatewayProxyEvent } from "aws-lambda";
import type { GenericSchema } from "valibot";
import { isPart, partOf, partsOf, type Part } from "../contract/schema/schema-part.ts";
import { nearestName } from "../domain/nearest-name.ts";
import { maxViolations, type Violation } from "../domain/refusal.ts";
import { bodyText } from "./request-body.ts";

/** A field of a body that its schema does not have. */
interface UnknownField {
  /** Path of the field in the body. */
  readonly path: readonly (string | number)[];
  /** Names of the fields that the schema has at this place. */
  readonly names: readonly string[];
}

/** Fields of an object schema, or of all options of an intersection; null for other schemas. */
const entriesOf = (parts: readonly Part[]): Readonly<Record<string, Part>> | null => {
  for (const { type, entries, options = [] } of parts) {
    if (type === "object" && entries !== undefined) return entries;
    if (type !== "intersect") continue;
    const optionEntries = options.filter(isPart).map((option) => entriesOf(partsOf(option)) ?? {});
    return Object.assign({}, ...optionEntries);
  }
  return null;
};

/** Yields the unknown fields of a value in the order in which they were sent; free-form objects have none. */
const unknownFieldsIn = function* (schema: Part, value: unknown, path: UnknownField["path"]): Generator<UnknownField> {
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return;
  const parts = partsOf(schema);
  const wrapped = parts.find((part) => part.wrapped !== undefined)?.wrapped;
  if (wrapped !== undefined) {
    yield* unknownFieldsIn(wrapped, value, path);
    return;
  }
  if (Array.isArray(value)) {
    const item = parts.find((part) => part.item !== undefined)?.item;
    if (item !== undefined) for (const [at, each] of value.entries()) yield* unknownFieldsIn(item, each, [...path, at]);
    return;
  }
  const entries = entriesOf(parts);
  if (entries === null || parts.some(({ metadata }) => metadata?.ignoresUnknownFields === true)) return;
  for (const [name, member] of Object.entries(value)) {
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (entry === undefined) yield { path: [...path, name], names: Object.keys(entries) };
    else yield* unknownFieldsIn(entry, member, [...path, name]);
  }
};

/** Returns the first `max` unknown fields of a body. */
const firstUnknownFields = (schema: GenericSchema, body: unknown, max: number): readonly UnknownField[] => {
  const fields: UnknownField[] = [];
  for (const field of unknownFieldsIn(partOf(schema), body, [])) {
    fields.push(field);
    if (fields.length === max) break;
  }
  return fields;
};

/** Returns a violation for each unknown field of a body, with the nearest known name, or else all of them. */
export const unknownFieldViolations = (schema: GenericSchema, body: unknown): readonly Violation[] =>
  firstUnknownFields(schema, body, maxViolations).map(({ path, names }) => {
    const near = nearestName(String(path.at(-1)), names);
    const advice = near === null ? `; known are: ${names.join(", ")}` : `; did you mean ${near}?`;
    return { loc: ["body", ...path], msg: `Unknown field${advice}`, type: "extra_forbidden" };
  });

/** Maximum number of fields that `X-Ignored-Fields` lists, and of characters of one of them. */
const [maxIgnoredFields, maxFieldCharacters] = [20, 100];

/**
 * Returns the unknown fields of a body as a reply names them, up to twenty: `filters.user`, `items.0.nme`. Characters
 * that a header cannot contain are percent-encoded.
 */
export const ignoredFieldsOf = (schema: GenericSchema, body: unknown): readonly string[] =>
  firstUnknownFields(schema, body, maxIgnoredFields).map(({ path }) =>
    path.map((part) => encodeURIComponent(String(part).slice(0, maxFieldCharacters).toWellFormed())).join("."),
  );

/** Returns violations for a body that was sent to a route without one: of each field, or of the whole if it is not an object. */
export const refusedBody = (event: APIGatewayProxyEvent): readonly Violation[] => {
  const text = bodyText(event);
  if (text.trim() === "") return [];
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
