import { sessionFilterParameters } from "../../../lib/contract/sessions/filters.ts";
import { traceFilterParameters } from "../../../lib/contract/traces/filters.ts";
import { sessionSortColumns } from "../../../lib/domain/sessions/session.ts";
import { traceSortColumns } from "../../../lib/domain/traces/sort.ts";
import { traceStatuses } from "../../../lib/domain/traces/trace.ts";
import type { Random } from "../../support/random.ts";
import type { Metric, Range } from "../analytics.ts";
import type { Query } from "../caller.ts";
import { timestampOf, type Granularity } from "../instant.ts";
import { type Filters, otherFilters, type Paging, type TraceColumn } from "../list.ts";
import type { Direction } from "../order.ts";
import type { SessionColumn, SessionFilters, WholeSessionFilter, WholeSessionValues } from "../sessions.ts";
import { someInstant, timestampText } from "./instants.ts";
import type { Pools } from "./pools.ts";

/** A substring, sometimes in another case. */
const somePart = (random: Random, text: string): string => {
  const letters = Array.from(text);
  const from = random.below(letters.length);
  const part = letters.slice(from, from + random.between(1, 5)).join("");
  // Letters whose upper case has another length are unchanged.
  const capitals = part.toUpperCase();
  return random.chance(0.4) && capitals.toLowerCase() === part ? capitals : part;
};

export const somePaging = (random: Random, maxLimit = 200): Paging => ({
  limit: random.chance(0.3) ? maxLimit : random.between(1, 12),
  offset: random.chance(0.5) ? 0 : random.below(30),
});

/** A trace list request, for the model and as sent. */
export interface TraceQuestion {
  readonly filters: Filters;
  readonly column: TraceColumn;
  readonly direction: Direction;
  readonly paging: Paging;
  readonly query: Query;
}

const directions = ["asc", "desc"] as const;

/** Generator and probability of each trace filter. */
const filterMakers: {
  readonly [Key in keyof Required<Filters>]: readonly [
    chance: number,
    make: (random: Random, pools: Pools) => NonNullable<Filters[Key]>,
  ];
} = {
  session_id: [0.15, (random, { sessions }) => random.pick(sessions)],
  user_id: [0.15, (random, { users }) => random.pick(users)],
  status: [0.15, (random) => random.pick(traceStatuses)],
  tags: [0.15, (random, { tags }) => [random.pick(tags), random.pick(tags)].slice(random.below(2))],
  name: [0.2, (random, { names }) => (random.chance(0.1) ? "" : somePart(random, random.pick(names)))],
  date_from: [0.25, someInstant],
  date_to: [0.25, someInstant],
  has_error: [0.08, (random) => random.chance(0.5)],
  has_failed_span: [0.08, (random) => random.chance(0.5)],
  min_latency_ms: [0.08, (random) => random.below(5_000)],
  max_latency_ms: [0.08, (random) => random.below(10_000_000)],
  min_cost: [0.08, (random) => random.below(4096) / 1024],
  max_cost: [0.08, (random) => random.below(8192) / 512],
  min_tokens: [0.08, (random) => random.below(3_000)],
  max_tokens: [0.08, (random) => random.below(5_000)],
  // Rows have no number for longer tool names.
  tool: [0.08, (random, { names }) => random.pick(names).slice(0, 200)],
  release: [0.08, (random) => random.pick(["2026.10.1", "plain", ""])],
  environment: [0.08, (random) => random.pick(["production", "staging", "Plain"])],
  has_session: [0.08, (random) => random.chance(0.5)],
};

const unknown = new Set<string>(otherFilters);

const noMaker = (name: string): never => {
  throw new Error(`The model has no values for the filter ${name}.`);
};

/** A random subset of named filters. @param makers probability and generator of each filter. */
const someFilters = (
  random: Random,
  pools: Pools,
  makers: Readonly<Record<string, readonly [number, (random: Random, pools: Pools) => unknown]>>,
  names = Object.keys(makers),
): object =>
  Object.fromEntries(
    names
      .filter((name) => !unknown.has(name))
      .flatMap((name) => {
        const [chance, make] = makers[name] ?? noMaker(name);
        return random.chance(chance) ? [[name, make(random, pools)]] : [];
      }),
  );

const isPlain = (value: unknown): boolean => typeof value === "boolean" || typeof value === "number";

/** Filters as query parameters of a list. */
const parametersOf = (random: Random, names: Readonly<Record<string, string>>, filters: object): Query =>
  Object.fromEntries(
    Object.entries(filters).map(([filter, value]) => [
      names[filter],
      typeof value === "bigint" ? timestampText(random, value) : isPlain(value) ? String(value) : value,
    ]),
  );

export const someTraceQuestion = (random: Random, pools: Pools): TraceQuestion => {
  const filters: Filters = someFilters(random, pools, filterMakers);
  const [column, direction, paging] = [random.pick(traceSortColumns), random.pick(directions), somePaging(random)];
  return {
    filters,
    column,
    direction,
    paging,
    query: {
      ...parametersOf(random, traceFilterParameters, filters),
      sort_by: column === "started_at" && random.chance(0.3) ? undefined : column,
      sort_order: direction === "desc" && random.chance(0.3) ? undefined : direction,
      ...paging,
    },
  };
};

export interface SessionQuestion {
  readonly filters: SessionFilters;
  readonly column: SessionColumn;
  readonly direction: Direction;
  readonly paging: Paging;
  readonly query: Query;
}

/** Generator and probability of each filter of whole sessions. */
const wholeSessionMakers: {
  readonly [Key in WholeSessionFilter]: readonly [
    chance: number,
    make: (random: Random, pools: Pools) => WholeSessionValues[Key],
  ];
} = {
  query: [
    0.15,
    (random, { sessions }) => (random.chance(0.1) ? "" : somePart(random, random.pick(sessions) || "chat")),
  ],
  has_error: [0.2, (random) => random.chance(0.5)],
  has_failed_span: [0.2, (random) => random.chance(0.5)],
  min_latency_ms: filterMakers.min_latency_ms,
  max_latency_ms: filterMakers.max_latency_ms,
  min_cost: filterMakers.min_cost,
  max_cost: filterMakers.max_cost,
  min_tokens: filterMakers.min_tokens,
  max_tokens: filterMakers.max_tokens,
};

export const someSessionQuestion = (random: Random, pools: Pools): SessionQuestion => {
  const filters: SessionFilters = someFilters(
    random,
    pools,
    { ...filterMakers, ...wholeSessionMakers },
    Object.keys(sessionFilterParameters),
  );
  const [column, direction, paging] = [random.pick(sessionSortColumns), random.pick(directions), somePaging(random)];
  return {
    filters,
    column,
    direction,
    paging,
    query: {
      ...parametersOf(random, sessionFilterParameters, filters),
      sort_by: column,
      sort_order: direction,
      ...paging,
    },
  };
};

/** An analytics request. */
export interface AnalyticsQuestion {
  readonly metric: Metric;
  readonly granularity: Granularity | "all";
  readonly range: Range;
  readonly query: Query;
}

const granularities = ["hour", "day", "week", "all"] as const;
const metrics = ["volume", "errors", "latency", "cost", "tokens", "models"] as const;

/** An analytics request with a range that may end within an hour, be empty or be reversed. */
export const someAnalyticsQuestion = (random: Random): AnalyticsQuestion => {
  const [firstInstant, secondInstant] = [someInstant(random), someInstant(random)];
  const range =
    firstInstant > secondInstant && random.chance(0.9)
      ? { after: secondInstant, before: firstInstant }
      : { after: firstInstant, before: secondInstant };
  const [metric, granularity] = [random.pick(metrics), random.pick(granularities)];
  return {
    metric,
    granularity,
    range,
    query: { metric, granularity, started_after: timestampOf(range.after), started_before: timestampOf(range.before) },
  };
};
