import type { TraceFilters } from "../../lib/domain/traces/filter.ts";
import type { TraceSortColumn } from "../../lib/domain/traces/sort.ts";
import { latency, type Micros } from "./instant.ts";
import { sorted, type Direction } from "./order.ts";
import { listItem } from "./replies.ts";
import { spansOf, tokensOf, usageOf } from "./totals.ts";
import type { ModelTrace } from "./trace.ts";

/** What the model takes for the value of each filter. */
interface FilterValues {
  /** Inclusive. */
  readonly date_from: Micros;
  /** Exclusive. */
  readonly date_to: Micros;
  readonly status: string;
  readonly session_id: string;
  readonly user_id: string;
  /** Any of them. */
  readonly tags: readonly string[];
  /** Part of the name, in any case. */
  readonly name: string;
  readonly has_error: boolean;
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
 * Filters of traces that the model knows. It has no scores and declares no metadata, and of the models of a trace it has more
 * than rows tell: `test/api/traces/random-filters.test.ts` asks those.
 */
type ModelFilter = Exclude<keyof TraceFilters, "model" | "metadata" | "score" | "no_score">;

/** What selects traces, by the interface's own names of filters; what is left out selects all. */
export type Filters = { readonly [Key in ModelFilter]?: FilterValues[Key] };

export type TraceColumn = TraceSortColumn;

/** What a page of a list asks for. */
export interface Paging {
  readonly limit: number;
  readonly offset: number;
}

/** Case folded letter by letter, so that a part of a text is folded as it is within it; both small sigmas are one. */
const folded = (text: string): string =>
  Array.from(text, (letter) => letter.toLowerCase())
    .join("")
    .replaceAll("ς", "σ");

/** Whether `text` has `part` in it, in any case. */
export const contains = (text: string, part: string): boolean => folded(text).includes(folded(part));

/** Spans of a trace that failed. */
const failures = ({ spans }: ModelTrace): number =>
  [...spans.values()].filter(({ fields: { status, error } }) => status === "ERROR" || error !== null).length;

const costOf = (trace: ModelTrace): number => usageOf(spansOf([trace])).cost;

const latencyOf = ({ startedAt, endedAt }: ModelTrace): number | null => latency(startedAt, endedAt);

/** Whether a trace is what each filter asks for. */
const tests: {
  readonly [Key in ModelFilter]: (trace: ModelTrace, value: FilterValues[Key]) => boolean;
} = {
  date_from: ({ startedAt }, from) => startedAt >= from,
  date_to: ({ startedAt }, to) => startedAt < to,
  status: ({ status }, wanted) => status === wanted,
  session_id: ({ session }, wanted) => session === wanted,
  user_id: ({ user }, wanted) => user === wanted,
  tags: ({ tags }, wanted) => wanted.length === 0 || wanted.some((tag) => tags.includes(tag)),
  name: ({ name }, part) => contains(name, part),
  has_error: (trace, wanted) => (trace.status === "ERROR" || failures(trace) > 0) === wanted,
  min_latency_ms: (trace, least) => (latencyOf(trace) ?? Number.NEGATIVE_INFINITY) >= least,
  max_latency_ms: (trace, most) => (latencyOf(trace) ?? Number.POSITIVE_INFINITY) <= most,
  min_cost: (trace, least) => costOf(trace) >= least,
  max_cost: (trace, most) => costOf(trace) <= most,
  min_tokens: (trace, least) => tokensOf([trace]) >= least,
  max_tokens: (trace, most) => tokensOf([trace]) <= most,
  tool: ({ spans }, tool) =>
    [...spans.values()].some(({ fields }) => fields["kind"] === "TOOL" && fields["name"] === tool),
  release: ({ release }, wanted) => release === wanted,
  environment: ({ environment }, wanted) => environment === wanted,
  has_session: ({ session }, wanted) => (session !== null) === wanted,
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

/** A page of the traces that match. */
export const tracePage = (
  traces: readonly ModelTrace[],
  filters: Filters,
  column: TraceColumn,
  direction: Direction,
  paging: Paging,
): object => {
  const all = sorted(selected(traces, filters), direction, columns[column], ({ traceId }) => traceId);
  return pageOf(all.map(listItem), paging);
};
