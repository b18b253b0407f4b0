import type { GenericSchema } from "valibot";
import type { Route } from "../contract/route.ts";
import { nearestName } from "../domain/nearest-name.ts";
import { maxViolations, type Violation } from "../domain/refusal.ts";

/** Aliases of query parameters: a route that accepts one name of a pair also accepts the other. */
const queryAliases: Readonly<Record<string, string>> = {
  date_from: "started_after",
  date_to: "started_before",
  started_after: "date_from",
  started_before: "date_to",
};

type Query = Readonly<Record<string, unknown>>;

/** Query with canonical parameter names, and violations for unknown names. */
interface NormalizedQuery {
  readonly query: Query;
  readonly violations: readonly Violation[];
}

/** True if a route accepts unknown query parameters: public pages, and routes of other protocols, which define their own. */
const acceptsUnknown = ({ access, path, protocol, credentialInBody }: Route): boolean =>
  protocol !== undefined || path.startsWith("/api/") || (access === "public" && credentialInBody !== true);

/** Maximum number of parameter names listed in an error message. */
const maxNames = 50;

const unknownParameter = (name: string, names: readonly string[]): Violation => {
  const near = nearestName(name, names);
  const nameList = names.length === 0 ? "there are none" : names.slice(0, maxNames).join(", ");
  return {
    loc: ["query", name],
    msg: `Unknown query parameter${near === null ? `; known are: ${nameList}` : `; did you mean ${near}?`}`,
    type: "extra_forbidden",
  };
};

/**
 * Maps aliases of query parameters to the names of the route, and returns violations for unknown parameters: a misspelt
 * filter must not match everything.
 */
export const normalizeQuery = (route: Route, parameters: Query): NormalizedQuery => {
  if (acceptsUnknown(route)) return { query: parameters, violations: [] };
  const schema = route.query;
  const entries: object = schema !== undefined && "entries" in schema ? Object(schema.entries) : {};
  const names = Object.keys(entries);
  const query: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [name, values] of Object.entries(parameters)) {
    // `?=` and `&=` have no name, so that no name can be misspelt.
    if (name === "" && String(values) === "") continue;
    const alias = Object.hasOwn(queryAliases, name) ? (queryAliases[name] ?? "") : "";
    if (names.includes(name)) query[name] = values;
    else if (names.includes(alias) && parameters[alias] === undefined) query[alias] = values;
    else if (names.includes(alias)) {
      const msg = `${name} and ${alias} mean the same: give one of them`;
      violations.push({ loc: ["query", name], msg, type: "value_error" });
    } else if (route.ignoredQuery?.includes(name) !== true && violations.length < maxViolations)
      violations.push(unknownParameter(name, names));
  }
  return { query, violations };
};

/** Matches the query parameters `metadata.<key>` and `metadata[<key>]`. */
const form = /^metadata(?:\.(?<dotted>.+)|\[(?<bracketed>.+)\])$/su;

const keyOf = (name: string): string | undefined => {
  const { dotted, bracketed } = form.exec(name)?.groups ?? {};
  return dotted ?? bracketed;
};

const takesMetadata = (schema: GenericSchema | undefined): boolean =>
  schema !== undefined &&
  "entries" in schema &&
  typeof schema.entries === "object" &&
  schema.entries !== null &&
  Object.hasOwn(schema.entries, "metadata");

/**
 * Collects the query parameters `metadata.<key>` and `metadata[<key>]` into one object `metadata` by key, if the route's schema
 * has `metadata`. Other parameters, and a `metadata` without a key, are unchanged.
 */
export const withMetadata = (
  schema: GenericSchema | undefined,
  parameters: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  if (!takesMetadata(schema)) return parameters;
  const metadata = Object.entries(parameters).flatMap(([name, values]) => {
    const key = keyOf(name);
    return key === undefined ? [] : [[key, values] as const];
  });
  if (metadata.length === 0) return parameters;
  const otherParameters = Object.entries(parameters).filter(([name]) => keyOf(name) === undefined);
  return { ...Object.fromEntries(otherParameters), metadata: Object.fromEntries(metadata) };
};
