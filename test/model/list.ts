import type { TraceFilters } from "../../lib/domain/traces/filter.ts";
import type { TraceSortColumn } from "../../lib/domain/traces/sort.ts";
import { latency, type Micros } from "./instant.ts";
import { sorted, type Direction } from "./order.ts";
import { listItem } from "./replies.ts";
import { failures, hasFailure, spansOf, tokensOf, usageOf } from "./totals.ts";
import type { ModelTrace } from "./trace.ts";

/** Value type of each filter in the model. */
interface FilterValues {
  /** Inclusive. */
  readonly date_from: Micros;
  /** Exclusive. */
  readonly date_to: Micros;
  readonly status: string;
  readonly session_id: string;
  readonly user_id: string;
  /** At least one of the tags must match. */
  readonly tags: readonly string[];
  /** Case-insensitive substring of the name. */
  readonly name: string;
  readonly has_error: boolean;
  readonly has_failed_span: boolean;
  readonly min_latency_ms: number;
  readonly max_latency_ms: number;
  readonly min_cost: number;
  readonly max_cost: number;
  readonly min_tokens: number;
  readonly max_tokens: number;
  readonly tool: string;
  readonly release: string;
  readonly environment: string;
  readonly has_session: boolean;
}

/**
 * Filters that the model lacks. It has no scores, prompts, experiments, filters by error and declared metadata, and it knows more models of a
 * trace than rows do: `test/api/slow/traces/random-filters.test.ts` covers those filters.
 */
export const otherFilters = [
  "model",
  "metadata",
  "score",
  "no_score",
  "prompt_name",
  "prompt_version",
  "experiment",
  "experiment_item_id",
  "first_error",
] as const;

type ModelFilter = Exclude<keyof TraceFilters, (typeof otherFilters)[number]>;

/** Filters of traces by parameter name; an absent filter matches everything. */
export type Filters = { readonly [Key in ModelFilter]?: FilterValues[Key] };

export type TraceColumn = TraceSortColumn;

/** Limit and offset of a list page. */
export interface Paging {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Folds text letter by letter, so that a substring folds as within the whole text; both small sigmas are equal, and accents are left out.
 */
const folded = (text: string): string =>
  Array.from(text.normalize("NFD"), (letter) =>
    /[\u0300-\u036f]/u.test(letter) ? "" : letter.toLowerCase().toUpperCase().toLowerCase(),
  )
    .join("")
    .replaceAll("ς", "σ");

/** True if `text` contains `part`, ignoring case and accents. */
export const contains = (text: string, part: string): boolean => folded(text).includes(folded(part));

const costOf = (trace: ModelTrace): number => usageOf(spansOf([trace])).cost;

const latencyOf = ({ startedAt, endedAt }: ModelTrace): number | null => latency(startedAt, endedAt);

/** Predicate of each trace filter. */
const tests: {
  readonly [Key in ModelFilter]: (trace: ModelTrace, value: FilterValues[Key]) => boolean;
} = {
  date_from: ({ startedAt }, from) => startedAt >= from,
  date_to: ({ startedAt }, to) => startedAt < to,
  status: ({ status }, value) => status === value,
  session_id: ({ session }, value) => session === value,
  user_id: ({ user }, value) => user === value,
  tags: ({ tags }, value) => value.length === 0 || value.some((tag) => tags.includes(tag)),
  name: ({ name }, part) => contains(name, part),
  has_error: (trace, value) => hasFailure(trace) === value,
  has_failed_span: (trace, value) => hasFailure(trace) === value,
  min_latency_ms: (trace, min) => (latencyOf(trace) ?? Number.NEGATIVE_INFINITY) >= min,
  max_latency_ms: (trace, max) => (latencyOf(trace) ?? Number.POSITIVE_INFINITY) <= max,
  min_cost: (trace, min) => costOf(trace) >= min,
  max_cost: (trace, max) => costOf(trace) <= max,
  min_tokens: (trace, min) => tokensOf([trace]) >= min,
  max_tokens: (trace, max) => tokensOf([trace]) <= max,
  tool: ({ spans }, tool) =>
    [...spans.values()].some(({ fields }) => fields["kind"] === "TOOL" && fields["name"] === tool),
  release: ({ release }, value) => release === value,
  environment: ({ environment }, value) => environment === value,
  has_session: ({ session }, value) => (session !== null) === value,
};

const passes = <Key extends keyof Filters>(trace: ModelTrace, filter: Key, value: Filters[Key]): boolean =>
  value === undefined || tests[filter](trace, value);

export const selected = (traces: readonly ModelTrace[], filters: Filters): readonly ModelTrace[] =>
  traces.filter((trace) =>
    (Object.keys(tests) as (keyof Filters)[]).every((filter) => passes(trace, filter, filters[filter])),
  );

const columns: Readonly<Record<TraceColumn, (trace: ModelTrace) => string | number | bigint | null>> = {
  started_at: ({ startedAt }) => startedAt,
  ended_at: ({ endedAt }) => endedAt,
  name: ({ name }) => name,
  latency: latencyOf,
  status: ({ status }) => status,
  cost: costOf,
  tokens: (trace) => tokensOf([trace]),
  errors: failures,
};

export const pageOf = <Item>(items: readonly Item[], { limit, offset }: Paging) => ({
  items: items.slice(offset, offset + limit),
  total: items.length,
  limit,
  offset,
});

/** A page of the matching traces. */
export const tracePage = (
  traces: readonly ModelTrace[],
  filters: Filters,
  column: TraceColumn,
  direction: Direction,
  paging: Paging,
): object => {
  const matchingTraces = sorted(selected(traces, filters), direction, columns[column], ({ traceId }) => traceId);
  return pageOf(matchingTraces.map(listItem), paging);
};
