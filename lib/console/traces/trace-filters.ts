import type { Operations, TraceFilters } from "../../client/interface.ts";

type Query = Operations["listTraces"]["query"];

/** How a filter is asked for, and what its chip says. */
interface Vocabulary {
  readonly title: string;
  readonly kind: "text" | "number" | "flag" | "choice" | "list";
  readonly choices?: readonly string[];
}

/** The filters of traces that an address may carry, each under the name it has in the interface. */
export const vocabulary = {
  status: { title: "status", kind: "choice", choices: ["ERROR", "RUNNING", "PENDING", "COMPLETED"] },
  name: { title: "name has", kind: "text" },
  has_error: { title: "has an error", kind: "flag" },
  score: { title: "score", kind: "list" },
  no_score: { title: "without score", kind: "list" },
  min_cost: { title: "cost at least $", kind: "number" },
  max_cost: { title: "cost at most $", kind: "number" },
  min_latency_ms: { title: "ms at least", kind: "number" },
  max_latency_ms: { title: "ms at most", kind: "number" },
  min_tokens: { title: "tokens at least", kind: "number" },
  max_tokens: { title: "tokens at most", kind: "number" },
  model: { title: "model", kind: "text" },
  tool: { title: "tool", kind: "text" },
  release: { title: "release", kind: "text" },
  environment: { title: "environment", kind: "text" },
  user_id: { title: "user", kind: "text" },
  session_id: { title: "session", kind: "text" },
  has_session: { title: "in a session", kind: "flag" },
  tags: { title: "tag", kind: "list" },
  started_after: { title: "from", kind: "text" },
  started_before: { title: "until", kind: "text" },
} as const satisfies Partial<Record<keyof Query, Vocabulary>>;

export type FilterName = keyof typeof vocabulary;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object's keys are the names it was written with.
export const filterNames = Object.keys(vocabulary) as readonly FilterName[];

/** Orders that a list may have beside newest first. */
export const orders = {
  cost: "dearest first",
  latency: "slowest first",
  tokens: "most tokens first",
  errors: "most errors first",
} as const;

/** Values of a list stand in the address with this between them. */
const between = "|";

const valueOf = (kind: Vocabulary["kind"], text: string): unknown => {
  if (kind === "number") return Number(text);
  if (kind === "flag") return text === "true";
  return kind === "list" ? text.split(between) : text;
};

/** The filters and the order that an address names, as the interface takes them. */
export const filtersIn = (query: Readonly<Record<string, string>>): Query => {
  const filters = filterNames.flatMap((name): [string, unknown][] => {
    const text = query[name];
    return text === undefined ? [] : [[name, valueOf(vocabulary[name].kind, text)]];
  });
  const { sort_by: order } = query;
  return Object.fromEntries(order === undefined ? filters : [...filters, ["sort_by", order]]);
};

/** An address's words for a filter with one value more. */
export const withValue = (name: FilterName, before: string | undefined, value: string): string =>
  vocabulary[name].kind === "list" && before !== undefined ? [...before.split(between), value].join(between) : value;

/** The same filters as a run or a monitor takes them; an order is none. */
export const runFiltersIn = (query: Readonly<Record<string, string>>): TraceFilters => {
  const { started_after: from, started_before: to, sort_by: _, sort_order: __, ...filters } = filtersIn(query);
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an address names is a filter of both.
    ...(filters as TraceFilters),
    ...(from === undefined ? {} : { date_from: from }),
    ...(to === undefined ? {} : { date_to: to }),
  };
};
