import type { GenericSchema } from "valibot";
import type { Route } from "../contract/route.ts";
import { partOf, partsOf, type Part } from "../contract/schema/schema-part.ts";
import { nameAdvice } from "../domain/nearest-name.ts";
import { maxViolations, type Violation } from "../domain/refusal.ts";

const entriesOf = (schema: GenericSchema | undefined): Readonly<Record<string, Part>> =>
  schema === undefined ? {} : (partOf(schema).entries ?? {});

/** Aliases of query parameters: a route that accepts one name of a pair also accepts the other. */
const startAliases: Readonly<Record<string, string>> = {
  date_from: "started_after",
  date_to: "started_before",
  started_after: "date_from",
  started_before: "date_to",
};

/** Names that other interfaces have for query parameters, in lower case without `_` and `-`, by the possible names here. */
const otherNames: readonly (readonly [names: readonly string[], others: readonly string[]])[] = [
  [["sort_by"], ["sort", "sortkey", "orderby"]],
  [["sort_order"], ["order", "direction", "sortdir", "sortdirection", "dir"]],
  [
    ["started_after", "date_from"],
    ["start", "starttime", "startdate", "from", "since", "after", "fromtimestamp"],
  ],
  [
    ["started_before", "date_to"],
    ["end", "endtime", "enddate", "to", "until", "before", "totimestamp"],
  ],
  [["limit"], ["pagesize", "perpage", "size", "count", "take", "maxresults"]],
  [["offset"], ["page", "skip"]],
  [["cursor"], ["pagetoken", "nexttoken", "nextcursor"]],
  [
    ["query", "q", "name"],
    ["q", "search"],
  ],
];

/** Returns the parameter among `names` that another interface calls `name`; undefined if there is none. */
const translatedName = (name: string, names: readonly string[]): string | undefined => {
  const plainName = name.toLowerCase().replaceAll(/[_-]/gu, "");
  const candidates = otherNames.flatMap(([present, others]) => (others.includes(plainName) ? present : []));
  return candidates.find((candidate) => names.includes(candidate));
};

type QueryValues = Readonly<Record<string, unknown>>;

/** Query with canonical parameter names, and violations for unknown names. */
interface NormalizedQuery {
  readonly query: QueryValues;
  readonly violations: readonly Violation[];
}

/** True if a route accepts unknown query parameters: public pages, and routes of other protocols, which define their own. */
const acceptsUnknown = ({ access, path, protocol, credentialInBody }: Route): boolean =>
  protocol !== undefined || path.startsWith("/api/") || (access === "public" && credentialInBody !== true);

/**
 * Maps aliases of query parameters to the names of the route, and returns violations for unknown parameters: a misspelt
 * filter must not match everything.
 */
const normalizeQuery = (route: Route, parameters: QueryValues): NormalizedQuery => {
  if (acceptsUnknown(route)) return { query: parameters, violations: [] };
  const names = Object.keys(entriesOf(route.query));
  const aliases = { ...startAliases, ...route.queryAliases };
  const query: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [name, values] of Object.entries(parameters)) {
    // `?=` and `&=` have no name, so that no name can be misspelt.
    if (name === "" && String(values) === "") continue;
    const alias = Object.hasOwn(aliases, name) ? (aliases[name] ?? "") : "";
    if (names.includes(name)) query[name] = values;
    else if (names.includes(alias) && parameters[alias] === undefined) query[alias] = values;
    else if (names.includes(alias)) {
      const msg = `${name} and ${alias} mean the same: give one of them`;
      violations.push({ loc: ["query", name], msg, type: "value_error" });
    } else if (route.ignoredQuery?.includes(name) !== true && violations.length < maxViolations)
      violations.push({
        loc: ["query", name],
        msg: `Unknown query parameter${nameAdvice(translatedName(name, names) ?? name, names)}`,
        type: "extra_forbidden",
      });
  }
  return { query, violations };
};

/** Matches the query parameters `metadata.<key>` and `metadata[<key>]`. */
const form = /^metadata(?:\.(?<dotted>.+)|\[(?<bracketed>.+)\])$/su;

const keyOf = (name: string): string | undefined => {
  const { dotted, bracketed } = form.exec(name)?.groups ?? {};
  return dotted ?? bracketed;
};

/**
 * Collects the query parameters `metadata.<key>` and `metadata[<key>]` into one object `metadata` by key, if the route's schema
 * has `metadata`. Other parameters, and a `metadata` without a key, are unchanged.
 */
export const withMetadata = (schema: GenericSchema | undefined, parameters: QueryValues): QueryValues => {
  if (!Object.hasOwn(entriesOf(schema), "metadata")) return parameters;
  const metadata = Object.entries(parameters).flatMap(([name, values]) => {
    const key = keyOf(name);
    return key === undefined ? [] : [[key, values] as const];
  });
  if (metadata.length === 0) return parameters;
  const otherParameters = Object.entries(parameters).filter(([name]) => keyOf(name) === undefined);
  return { ...Object.fromEntries(otherParameters), metadata: Object.fromEntries(metadata) };
};

/** Matches a query parameter of a list as PHP, Ruby and axios write it: `tags[]` and `tags[0]`. */
const listItemName = /^(?<list>\w{1,100})\[\d{0,4}\]$/u;

/** True if the values of a query parameter are parsed as a list; a single value is parsed by a later schema of the pipe. */
const isList = (entry: Part): boolean =>
  partsOf(entry.wrapped ?? entry).findLast(({ kind }) => kind === "schema")?.type === "array";

/**
 * Collects the query parameters `name[]` and `name[0]` into the parameter `name`, in the order of the query, if the route's schema has
 * a list of that name. Other parameters are unchanged.
 */
const withLists = (schema: GenericSchema | undefined, parameters: QueryValues): QueryValues => {
  const entries = entriesOf(schema);
  const query = new Map<string, unknown>();
  for (const [parameter, values] of Object.entries(parameters)) {
    const list = listItemName.exec(parameter)?.groups?.["list"] ?? "";
    const entry = Object.hasOwn(entries, list) ? entries[list] : undefined;
    const name = entry !== undefined && isList(entry) ? list : parameter;
    query.set(name, query.has(name) ? [query.get(name), values].flat() : values);
  }
  return Object.fromEntries(query);
};

/** Returns a violation for each parameter whose name or value is not well-formed Unicode: another text would be looked for, or deleted. */
const illFormed = (parameters: QueryValues): readonly Violation[] =>
  Object.entries(parameters).flatMap(([name, values]): Violation[] =>
    [name, values].flat().every((text) => String(text).isWellFormed())
      ? []
      : [{ loc: ["query", name.toWellFormed()], msg: "Text should be well-formed Unicode", type: "string_unicode" }],
  );

/** Returns the query of a request as the route's schema expects it, with violations for unknown and for ill-formed parameters. */
export const queryOf = (route: Route, parameters: QueryValues | null): NormalizedQuery => {
  const violations = illFormed(parameters ?? {}).slice(0, maxViolations);
  if (violations.length > 0) return { query: {}, violations };
  return normalizeQuery(route, withLists(route.query, withMetadata(route.query, parameters ?? {})));
};
