import type { APIGatewayProxyEvent } from "aws-lambda";
import { safeParse, type BaseIssue, type GenericSchema } from "valibot";
import { isPart, partOf, partsOf, type Part } from "../contract/openapi/schema-part.ts";
import type { Route } from "../contract/route.ts";
import { toDouble } from "../domain/json.ts";
import { survivesDouble } from "../domain/number-text.ts";
import { Refusal, type Violation } from "../domain/refusal.ts";
import { namedQuery } from "./query-names.ts";
import { unstorable } from "./parsed-values.ts";
import { withMetadata } from "./metadata-parameters.ts";
import { violationsOf, type Source } from "./violations.ts";

export interface ParsedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

const ofObjects = new Set(["object", "loose_object", "strict_object", "object_with_rest", "record"]);

const heads = new WeakMap<Part, Part>();

/** What of a schema sees a value first. */
const headOf = (schema: Part): Part => {
  const known = heads.get(schema) ?? partsOf(schema)[0] ?? schema;
  heads.set(schema, known);
  return known;
};

/** The first list that stands where an object belongs: schemas take one for an object without fields, or with numbers for keys. */
const listIn = (schema: Part, value: unknown, loc: Violation["loc"]): Violation | null => {
  if (typeof value !== "object" || value === null) return null;
  const { type, wrapped, entries, item, value: each, options = [] } = headOf(schema);
  if (wrapped !== undefined) return listIn(wrapped, value, loc);
  if (type === "intersect") {
    const found = options.filter(isPart).map((option) => listIn(option, value, loc));
    return found.find((flaw) => flaw !== null) ?? null;
  }
  const isList = Array.isArray(value);
  if (ofObjects.has(type) && isList) return { loc, msg: "Input should be a valid dictionary", type: "dict_type" };
  for (const [key, member] of isList ? value.entries() : Object.entries(value)) {
    const part = isList ? item : (entries?.[key] ?? (type === "record" ? each : undefined));
    const found = part === undefined ? null : listIn(part, member, [...loc, key]);
    if (found !== null) return found;
  }
  return null;
};

/** @returns what is wrong with a body that has a list in the place of an object. */
export const listForObject = (schema: GenericSchema | undefined, body: unknown): Violation | null =>
  schema === undefined ? null : listIn(partOf(schema), body, ["body"]);

/** Puts doubles in the place of numbers that were kept as they were written, where a field of the interface is a number. @returns whether there was one. */
const withDoubles = (issues: readonly BaseIssue<unknown>[]): boolean => {
  let changed = false;
  for (const { input, path } of issues) {
    const place = path?.at(-1);
    if (!JSON.isRawJSON(input) || !survivesDouble(input.rawJSON) || typeof place?.input !== "object") continue;
    Object.assign(place.input ?? {}, { [String(place.key)]: toDouble(input) });
    changed = true;
  }
  return changed;
};

/** The path's parameters by the interface's names. */
const pathParameters = (
  { gatewayNames = {} }: Route,
  event: APIGatewayProxyEvent,
): Readonly<Record<string, unknown>> => {
  const names = new Map(Object.entries(gatewayNames).map(([name, given]) => [given, name]));
  return Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).map(([given, value]) => [names.get(given) ?? given, value]),
  );
};

/**
 * Parses a request's parts by its route's schemas.
 *
 * @throws Refusal `invalid` with every field that is wrong, of all parts.
 */
export const parseRequest = (route: Route, event: APIGatewayProxyEvent): ParsedRequest => {
  const violations: Violation[] = [];
  const part = (source: Source, schema: GenericSchema | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined;
    const written = safeParse(schema, value);
    const result = !written.success && withDoubles(written.issues) ? safeParse(schema, value) : written;
    if (result.success) return result.output;
    violations.push(...violationsOf(source, result.issues));
    return undefined;
  };
  const flaw = route.body === undefined ? null : (unstorable(event.body) ?? listForObject(route.body, event.body));
  if (flaw !== null) violations.push(flaw);
  const named = namedQuery(route, withMetadata(route.query, event.multiValueQueryStringParameters ?? {}));
  violations.push(...named.violations);
  const parsed = {
    params: part("path", route.params, pathParameters(route, event)),
    query: part("query", route.query, named.query),
    body: flaw === null ? part("body", route.body, event.body) : undefined,
  };
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations });
  return parsed;
};
