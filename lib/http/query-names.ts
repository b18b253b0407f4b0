import { queryAliases } from "../contract/query-aliases.ts";
import type { Route } from "../contract/route.ts";
import { nearestName } from "../domain/nearest-name.ts";
import { mostViolations, type Violation } from "../domain/refusal.ts";

type Query = Readonly<Record<string, unknown>>;

interface NamedQuery {
  readonly query: Query;
  readonly violations: readonly Violation[];
}

/** Routes without credentials are read by people and machines that add what they like, and protocols say what theirs take. */
const takesAll = ({ access, path, protocol, credentialInBody }: Route): boolean =>
  protocol !== undefined || path.startsWith("/api/") || (access === "public" && credentialInBody !== true);

/** Names in a message: as many as a reader looks through. */
const mostNamed = 50;

const unknown = (name: string, known: readonly string[]): Violation => {
  const near = nearestName(name, known);
  const listed = known.length === 0 ? "there are none" : known.slice(0, mostNamed).join(", ");
  return {
    loc: ["query", name],
    msg: `Unknown query parameter${near === null ? `; known are: ${listed}` : `; did you mean ${near}?`}`,
    type: "extra_forbidden",
  };
};

/**
 * A query by the names of its route: what a route calls otherwise is taken by either name, and what it does not know is wrong,
 * since a misspelt filter would match everything.
 */
export const namedQuery = (route: Route, given: Query): NamedQuery => {
  if (takesAll(route)) return { query: given, violations: [] };
  const schema = route.query;
  const entries: object = schema !== undefined && "entries" in schema ? Object(schema.entries) : {};
  const known = Object.keys(entries);
  const query: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [name, values] of Object.entries(given)) {
    // `?=` and `&=` name nothing, so that nothing can be misspelt.
    if (name === "" && String(values) === "") continue;
    const alias = Object.hasOwn(queryAliases, name) ? (queryAliases[name] ?? "") : "";
    if (known.includes(name)) query[name] = values;
    else if (known.includes(alias) && given[alias] === undefined) query[alias] = values;
    else if (known.includes(alias)) {
      const msg = `${name} and ${alias} mean the same: give one of them`;
      violations.push({ loc: ["query", name], msg, type: "value_error" });
    } else if (route.ignoredQuery?.includes(name) !== true && violations.length < mostViolations)
      violations.push(unknown(name, known));
  }
  return { query, violations };
};
