import type { APIGatewayProxyEvent } from "aws-lambda";
import { type GenericSchema, safeParse, type BaseIssue } from "valibot";
import { takesDryRun } from "../contract/list-query.ts";
import { namesIgnoredFields, readingOf, type Route } from "../contract/route.ts";
import { isPart, partOf, partsOf, type Part } from "../contract/schema/schema-part.ts";
import { toDouble, fitsDouble } from "../domain/json.ts";
import { type Violation, Refusal } from "../domain/refusal.ts";
import { maxObjectKeys } from "../domain/traces/limits.ts";
import { queryOf } from "./query-parameters.ts";
import { ignoredFieldsOf, refusedBody } from "./unknown-fields.ts";
import { violationsOf, type RequestPart } from "./violations.ts";

/** Parameters, query and body of a request after validation; undefined for parts that the route does not have. */
export interface ParsedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** Fields of the body that the route does not know and ignores, as a reply names them. */
  readonly ignoredFields: readonly string[];
}

/** Takes `dry_run` out of a parsed body: there it means the same as in the query. */
const takeDryRun = ({ query, body }: Pick<ParsedRequest, "query" | "body">) => {
  const { dry_run: isDryRun, ...fields } = Object(body);
  return { body: fields, query: isDryRun === true ? { ...Object(query), dry_run: true } : query };
};

/**
 * Returns a violation for the first value of a parsed body that cannot be stored unchanged: text that is not well-formed
 * Unicode, a number that is not finite, or an object with too many keys. Free-form parts are checked too.
 */
export const unstorableValue = (body: unknown): Violation | null => {
  // Where the current value is: a body can have a million values, so a copy is made for a violation alone.
  const loc: (string | number)[] = ["body"];
  const illFormed = (subject: string): Violation => ({
    loc: [...loc],
    msg: `${subject} should be well-formed Unicode`,
    type: "string_unicode",
  });
  const flawBelow = (key: string | number, value: unknown): Violation | null => {
    if (typeof value !== "string" && typeof value !== "object") return null;
    loc.push(key);
    const flaw = flawOf(value);
    loc.pop();
    return flaw;
  };
  const flawOf = (value: unknown): Violation | null => {
    if (typeof value === "string") return value.isWellFormed() ? null : illFormed("Text");
    if (typeof value !== "object" || value === null) return null;
    if (JSON.isRawJSON(value))
      return Number.isFinite(Number(value.rawJSON))
        ? null
        : { loc: [...loc], msg: "Number is not finite", type: "json_not_finite" };
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) {
        const flaw = flawBelow(index, value[index]);
        if (flaw !== null) return flaw;
      }
      return null;
    }
    const entries = Object.entries(value);
    if (entries.length > maxObjectKeys) {
      return { loc: [...loc], msg: `Object should have at most ${maxObjectKeys} keys`, type: "too_many_keys" };
    }
    for (const [key, child] of entries) {
      const flaw = key.isWellFormed() ? flawBelow(key, child) : illFormed("Keys");
      if (flaw !== null) return flaw;
    }
    return null;
  };
  return flawOf(body);
};

const ofObjects = new Set(["object", "loose_object", "strict_object", "object_with_rest", "record"]);

const firstSchemas = new WeakMap<Part, Part>();

/** Returns the first schema of a pipe, the schema itself without a pipe. Results are cached. */
const firstSchemaOf = (schema: Part): Part => {
  const first = firstSchemas.get(schema) ?? partsOf(schema)[0] ?? schema;
  firstSchemas.set(schema, first);
  return first;
};

/** Returns a violation for the first array in the place of an object; valibot would accept the array as an object with index keys. */
const listIn = (schema: Part, value: unknown, loc: Violation["loc"]): Violation | null => {
  if (typeof value !== "object" || value === null) return null;
  const { type, wrapped, entries, item, value: each, options = [] } = firstSchemaOf(schema);
  if (wrapped !== undefined) return listIn(wrapped, value, loc);
  if (type === "intersect") {
    const flaws = options.filter(isPart).map((option) => listIn(option, value, loc));
    return flaws.find((flaw) => flaw !== null) ?? null;
  }
  const isList = Array.isArray(value);
  if (ofObjects.has(type) && isList) return { loc, msg: "Input should be a valid dictionary", type: "dict_type" };
  for (const [key, member] of isList ? value.entries() : Object.entries(value)) {
    const part = isList ? item : (entries?.[key] ?? (type === "record" ? each : undefined));
    const flaw = part === undefined ? null : listIn(part, member, [...loc, key]);
    if (flaw !== null) return flaw;
  }
  return null;
};

/** Returns a violation if a body has an array in the place of an object; otherwise null. */
export const listInsteadOfObject = (schema: GenericSchema | undefined, body: unknown): Violation | null =>
  schema === undefined ? null : listIn(partOf(schema), body, ["body"]);

/** Replaces numbers kept in their original notation by doubles where the schema expects a number. @returns true if a value was replaced. */
const withDoubles = (issues: readonly BaseIssue<unknown>[]): boolean => {
  let changed = false;
  for (const { input, path } of issues) {
    const place = path?.at(-1);
    if (!JSON.isRawJSON(input) || !fitsDouble(input.rawJSON) || typeof place?.input !== "object") continue;
    Object.assign(place.input ?? {}, { [String(place.key)]: toDouble(input) });
    changed = true;
  }
  return changed;
};

/** Returns the path parameters by the names of the interface, which may differ from API Gateway's names. */
const pathParameters = (
  { gatewayNames = {} }: Route,
  event: APIGatewayProxyEvent,
): Readonly<Record<string, unknown>> => {
  const names = new Map(Object.entries(gatewayNames).map(([name, gatewayName]) => [gatewayName, name]));
  return Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).map(([gatewayName, value]) => [
      names.get(gatewayName) ?? gatewayName,
      value,
    ]),
  );
};

/**
 * Parses path parameters, query and body by the route's schemas.
 *
 * @throws Refusal `invalid` with the violations of all parts.
 */
export const parseRequest = (route: Route, event: APIGatewayProxyEvent): ParsedRequest => {
  const violations: Violation[] = [];
  const part = (source: RequestPart, schema: GenericSchema | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined;
    const first = safeParse(schema, value);
    const result = !first.success && withDoubles(first.issues) ? safeParse(schema, value) : first;
    if (result.success) return result.output;
    violations.push(...violationsOf(source, result.issues));
    return undefined;
  };
  // Bodies of other products are repaired while they are parsed; items are checked one by one.
  const isChecked = route.hasItems === true || readingOf(route) === "foreign";
  const flaw =
    route.body === undefined
      ? null
      : ((isChecked ? null : unstorableValue(event.body)) ?? listInsteadOfObject(route.body, event.body));
  if (flaw !== null) violations.push(flaw);
  if (route.refusesBody === true) violations.push(...refusedBody(event));
  const normalized = queryOf(route, event.multiValueQueryStringParameters);
  violations.push(...normalized.violations);
  const parsed = {
    params: part("path", route.params, pathParameters(route, event)),
    query: part("query", route.query, normalized.query),
    body: flaw === null ? part("body", route.body, event.body) : undefined,
  };
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations });
  const ignoredFields = namesIgnoredFields(route) ? ignoredFieldsOf(route.body, event.body) : [];
  return { ...parsed, ...(takesDryRun(route) && takeDryRun(parsed)), ignoredFields };
};
