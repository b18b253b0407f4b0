import { dimensionNames, maxDimensions } from "../../lib/domain/scores/dimensions.ts";
import { readingOf, type BodyReading, type Route } from "../../lib/contract/route.ts";
import { type Headers, pathOf, type WireRequest } from "../support/service/client.ts";
import type { Random } from "../support/random.ts";
import { jsonText, type Sendable } from "./sendable.ts";
import type { Slot } from "./shape.ts";
import { surfaceOf } from "./surface.ts";
import { simplest, valid, wrong, wrongTexts } from "./values.ts";

type Texts = Readonly<Record<string, string>>;

/** The parts of a request that its route's schemas describe. */
export interface Parts {
  readonly params: Texts;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly body?: Sendable;
  readonly headers?: Headers;
}

/** Expected refusal: its status and, for a 422, a prefix of the place of a problem. */
export interface Refusal {
  readonly status: number;
  readonly at?: string;
}

/** A change that introduces one error into a request. */
export interface Violation {
  readonly description: string;
  readonly change: (parts: Parts) => Parts;
  readonly refusal: Refusal;
  /** True if the schemas accept the request and the handler refuses it. */
  readonly byHandler?: true | undefined;
}

const textsOf = (slot: Slot, value: Sendable): readonly string[] =>
  (slot.once || !Array.isArray(value) ? [value] : (value as readonly Sendable[])).map(String);

/** The smallest request that a route accepts. */
export const simplestParts = (route: Route, params: Texts): Parts => {
  const { query, body } = surfaceOf(route);
  const required = Object.entries(query).filter(([, { mayBeAbsent }]) => !mayBeAbsent);
  return {
    params,
    query: Object.fromEntries(required.map(([name, slot]) => [name, textsOf(slot, simplest(slot))])),
    ...(body === null ? {} : { body: simplest(body) }),
  };
};

/** A random valid request of a route. */
export const validParts = (route: Route, params: Texts, random: Random): Parts => {
  const { query, body } = surfaceOf(route);
  // Only a cursor returned by the same list is valid, and a score name only with its sort order; both are omitted.
  const parameters = Object.entries(query).filter(
    ([name, { mayBeAbsent }]) => name !== "cursor" && name !== "sort_metric" && (!mayBeAbsent || random.chance(0.5)),
  );
  const textsByName = Object.fromEntries(parameters.map(([name, slot]) => [name, textsOf(slot, valid(slot, random))]));
  // Values are counted of a field, which the other metrics ignore.
  const { by } = query;
  const needsField = by !== undefined && textsByName["metric"]?.includes("values") === true;
  // Versions are those of the metric that `name` gives, and scores are grouped by names of a list in the handler.
  if (textsByName["name"] === undefined) delete textsByName["metric_version"];
  if (textsByName["group_by"] !== undefined)
    textsByName["group_by"] = dimensionNames.slice(random.below(dimensionNames.length)).slice(0, maxDimensions);
  // The id of a session is either in the path or, with `-` there, in the query.
  const { session_id: session } = params;
  const isInQuery = session !== undefined && textsByName["id"] !== undefined;
  return {
    params: { ...params, ...(isInQuery && { session_id: "-" }) },
    query: {
      ...textsByName,
      ...(needsField && { by: textsOf(by, valid(by, random)) }),
      ...(isInQuery && { id: [session] }),
    },
    ...(body === null ? {} : { body: valid(body, random) }),
    headers: {
      ...(random.chance(0.1) ? { "X-Request-ID": `fuzz-${random.below(1e9)}` } : {}),
      ...(random.chance(0.1) ? { "Idempotency-Key": `fuzz-${random.below(1e9)}` } : {}),
    },
  };
};

const wrongHeaders = (route: Route): readonly Violation[] => {
  if (route.access === "public") return [];
  const wrongHeaders = (name: string, values: readonly Headers[string][], refusal: Refusal): readonly Violation[] =>
    values.map((value) => ({
      description: `${name} ${JSON.stringify(value)}`,
      change: (parts) => ({ ...parts, headers: { [name]: value } }),
      refusal,
    }));
  const wrongValue = (name: string): Refusal => ({ status: 422, at: `header.${name}` });
  const projects = [undefined, "", " ", "-a", "a/b", "a".repeat(256), "a\tb", ["fuzz-a", "fuzz-b"]];
  const keys = [undefined, "", "x", `sk_as_${"0".repeat(64)}`];
  const repeatKeys = ["", " ", "a b", "x".repeat(256), "é", ["a", "b"]];
  const types = [undefined, "text/plain", "application/jsonX", "application/json; charset=utf-16"];
  return [
    // A route of a whole organization does not read the name of a project.
    ...(route.access === "organization" ? [] : wrongHeaders("X-Project-Name", projects, wrongValue("X-Project-Name"))),
    ...wrongHeaders("X-API-Key", keys, { status: 401 }),
    ...(route.method === "POST" ? wrongHeaders("Idempotency-Key", repeatKeys, wrongValue("Idempotency-Key")) : []),
    ...(route.body === undefined ? [] : wrongHeaders("Content-Type", types, { status: 415 })),
  ];
};

const wrongParams = (route: Route): readonly Violation[] =>
  Object.entries(surfaceOf(route).params).flatMap(([name, slot]) =>
    wrongTexts(slot)
      // An empty or dotted segment results in another address.
      .filter(({ value }) => !/^\.{0,2}$/u.test(value))
      .map(({ description, value }) => ({
        description: `${name} ${description}`,
        change: (parts: Parts) => ({ ...parts, params: { ...parts.params, [name]: value } }),
        refusal: { status: 422, at: `path.${name}` },
      })),
  );

const wrongParameter = (name: string, slot: Slot): readonly Violation[] => {
  const wrongParameter = (description: string, values: readonly string[], byHandler?: true): Violation => ({
    description: `${name} ${description}`,
    byHandler,
    change: (parts) => ({ ...parts, query: { ...parts.query, [name]: values } }),
    refusal: { status: 422, at: `query.${name}` },
  });
  const { shape } = slot;
  const [value = ""] = textsOf(slot, simplest(slot));
  const violations = wrongTexts(shape.kind === "list" ? shape.item : slot).map(({ description, value, byHandler }) =>
    wrongParameter(description, [value], byHandler),
  );
  if (shape.kind === "list" && shape.max <= 1_000) {
    const [item = ""] = textsOf(shape.item, simplest(shape.item));
    violations.push(
      wrongParameter(
        "given too often",
        Array.from({ length: shape.max + 1 }, () => item),
      ),
    );
  }
  if (slot.once) violations.push(wrongParameter("given twice", [value, value]));
  if (!slot.mayBeAbsent) violations.push(wrongParameter("missing", []));
  return violations;
};

const wrongQuery = (route: Route): readonly Violation[] =>
  Object.entries(surfaceOf(route).query).flatMap(([name, slot]) => wrongParameter(name, slot));

/** Wrong values that a body may have that is not read strictly, or item by item: they are repaired, or refuse their item alone. */
const repaired: Readonly<Record<BodyReading | "items", RegExp>> = {
  strict: /^$/u,
  telemetry: /half (?:of )?a character/u,
  items: /half (?:of )?a character|literal -?1e400/u,
  foreign: /half (?:of )?a character|nested 101 levels|10,001 keys|literal (?:-?Infinity|NaN|-?1e400)/u,
};

const wrongBody = (route: Route): readonly Violation[] => {
  const { body } = surfaceOf(route);
  if (body === null) return [];
  const pattern = repaired[route.hasItems === true ? "items" : readingOf(route)];
  return wrong(body)
    .filter(({ description }) => !pattern.test(description))
    .map(({ description, value, at, byHandler }) => ({
      description: `body${at === null ? "" : at.map((key) => `.${key}`).join("")} ${description}`,
      change: (parts) => ({ ...parts, body: value }),
      refusal: { status: 422, at: ["body", ...(at ?? [])].join(".") },
      byHandler,
    }));
};

/** All single errors that a route's request may contain. */
export const violationsOf = (route: Route): readonly Violation[] => [
  ...wrongHeaders(route),
  ...wrongParams(route),
  ...wrongQuery(route),
  ...wrongBody(route),
];

/** Encodes a request for the wire. */
export const wireOf = (route: Route, { params, query, body, headers }: Parts, caller: Headers): WireRequest => {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    values.map((value) => [name, value] as [string, string]),
  );
  const search = pairs.length === 0 ? "" : `?${String(new URLSearchParams(pairs))}`;
  return {
    method: route.method,
    path: `${pathOf(route, params)}${search}`,
    headers: {
      ...(route.access === "public" ? {} : caller),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    bytes: body === undefined ? undefined : jsonText(body),
    route,
  };
};
