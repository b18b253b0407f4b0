import type { Operations, TraceFilters } from "../../client/interface.ts";
import { timeBoundsOf } from "../parts/time-window.ts";

type TraceListQuery = Operations["listTraces"]["query"];

/** Input and chip of a trace filter. */
interface FilterDefinition {
  readonly title: string;
  readonly kind: "text" | "number" | "flag" | "choice" | "list" | "instant";
  readonly choices?: readonly string[];
}

/** Trace filters of the URL, by their name in the API. */
export const filterDefinitions = {
  q: { title: "words", kind: "text" },
  status: { title: "status", kind: "choice", choices: ["ERROR", "RUNNING", "PENDING", "COMPLETED"] },
  name: { title: "name contains", kind: "text" },
  has_failed_span: { title: "any span failed", kind: "flag" },
  has_error: { title: "any span failed", kind: "flag" },
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
  prompt_name: { title: "prompt", kind: "text" },
  prompt_version: { title: "prompt version", kind: "text" },
  experiment: { title: "experiment", kind: "text" },
  experiment_item_id: { title: "experiment item", kind: "text" },
  first_error: { title: "error", kind: "text" },
  user_id: { title: "user", kind: "text" },
  session_id: { title: "session", kind: "text" },
  has_session: { title: "in a session", kind: "flag" },
  tags: { title: "tag", kind: "list" },
  started_after: { title: "from", kind: "instant" },
  started_before: { title: "until", kind: "instant" },
} as const satisfies Partial<Record<keyof TraceListQuery, FilterDefinition>>;

export type FilterName = keyof typeof filterDefinitions;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object's keys are the names it was written with.
export const filterNames = Object.keys(filterDefinitions) as readonly FilterName[];

/** Filters that the API lacks for sessions. */
const traceOnly: ReadonlySet<FilterName> = new Set(["q", "status", "name", "session_id", "has_session"]);

export const sessionFilterNames = filterNames.filter((name) => !traceOnly.has(name));

/** Start of the names of filters of metadata in the URL, before the key. */
export const metadataPrefix = "metadata.";

/** Returns the metadata values that the URL filters by, by key. */
export const metadataIn = (query: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      name.startsWith(metadataPrefix) ? [[name.slice(metadataPrefix.length), value]] : [],
    ),
  );

/** Escapes a value of a filter with multiple values, which `|` separates in the URL. */
export const escapeListValue = (value: string): string => value.replaceAll(/[\\|]/gu, String.raw`\$&`);

/** Returns a filter of traces as a side of a comparison, such as `release:2.3`; commas separate filters of a side. */
export const sideOf = (name: string, value: string): string =>
  `${name}:${value.replaceAll(/[\\,]/gu, String.raw`\$&`)}`;

/** Returns the values of a filter with multiple values. */
export const splitListValues = (text: string): readonly string[] =>
  (text.match(/(?:\\.|[^|])+/gsu) ?? []).map((value) => value.replaceAll(/\\([\\|])/gu, "$1"));

const valueOf = (kind: FilterDefinition["kind"], text: string): unknown => {
  if (kind === "number") return Number(text);
  if (kind === "flag") return text === "true";
  return kind === "list" ? splitListValues(text) : text;
};

/** Parses the URL's filters into a query of the API. @param names filters of the list; others are ignored. */
export const parseFilters = (
  query: Readonly<Record<string, string>>,
  names: readonly FilterName[] = filterNames,
): TraceListQuery => {
  const { started_after: _, started_before: __, ...texts } = query;
  const values: Readonly<Record<string, string>> = { ...texts, ...timeBoundsOf(query) };
  const metadata = metadataIn(query);
  return {
    ...Object.fromEntries(
      names.flatMap((name): [string, unknown][] => {
        const text = values[name];
        return text === undefined ? [] : [[name, valueOf(filterDefinitions[name].kind, text)]];
      }),
    ),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
};

/** Returns the URL value of a filter after adding a value: appended for lists, else replaced. */
export const addFilterValue = (name: FilterName, before: string | undefined, value: string): string =>
  filterDefinitions[name].kind === "list" ? (before === undefined ? "" : `${before}|`) + escapeListValue(value) : value;

/** Parses the URL's filters into those of a run or a monitor. */
export const parseRunFilters = (query: Readonly<Record<string, string>>): TraceFilters => {
  const { started_after: from, started_before: to, ...filters } = parseFilters(query);
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both have the same filter names.
    ...(filters as TraceFilters),
    ...(from === undefined ? {} : { date_from: from }),
    ...(to === undefined ? {} : { date_to: to }),
  };
};
