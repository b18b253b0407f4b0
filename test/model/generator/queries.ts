import type { Random } from "../../support/random.ts";
import type { Metric, Range } from "../analytics.ts";
import type { Query } from "../caller.ts";
import { shown, type Granularity } from "../instant.ts";
import type { Filters, Paging, TraceColumn } from "../list.ts";
import type { Direction } from "../order.ts";
import type { SessionColumn, SessionFilters } from "../sessions.ts";
import { someInstant, written } from "./instants.ts";
import type { Pools } from "./pools.ts";

const maybe = <Value>(random: Random, chance: number, make: () => Value): Value | undefined =>
  random.chance(chance) ? make() : undefined;

/** Without the members that are undefined. */
const defined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };

/** A part of a text, in another case now and then. */
const somePart = (random: Random, text: string): string => {
  const letters = Array.from(text);
  const from = random.below(letters.length);
  const part = letters.slice(from, from + random.between(1, 5)).join("");
  // Some letters have another length in capitals; those stay.
  const capitals = part.toUpperCase();
  return random.chance(0.4) && capitals.toLowerCase() === part ? capitals : part;
};

const someWindow = (random: Random) => ({
  after: maybe(random, 0.25, () => someInstant(random)),
  before: maybe(random, 0.25, () => someInstant(random)),
});

const windowQuery = (random: Random, { after, before }: Pick<Filters, "after" | "before">): Query => ({
  started_after: after === undefined ? undefined : written(random, after),
  started_before: before === undefined ? undefined : written(random, before),
});

export const somePaging = (random: Random, most = 200): Paging => ({
  limit: random.chance(0.3) ? most : random.between(1, 12),
  offset: random.chance(0.5) ? 0 : random.below(30),
});

/** What a list is asked, for the model and as it is sent. */
export interface TraceQuestion {
  readonly filters: Filters;
  readonly column: TraceColumn;
  readonly direction: Direction;
  readonly paging: Paging;
  readonly query: Query;
}

const directions = ["asc", "desc"] as const;
const traceColumns = ["started_at", "ended_at", "name", "latency", "status"] as const;
const sessionColumns = ["recent", "trace_count", "latency", "cost"] as const;

export const someTraceQuestion = (random: Random, pools: Pools): TraceQuestion => {
  const filters = defined({
    session: maybe(random, 0.15, () => random.pick(pools.sessions)),
    user: maybe(random, 0.15, () => random.pick(pools.users)),
    status: maybe(random, 0.15, () => random.pick(["PENDING", "RUNNING", "COMPLETED", "ERROR"])),
    tags: maybe(random, 0.15, () => [random.pick(pools.tags), random.pick(pools.tags)].slice(random.below(2))),
    name: maybe(random, 0.2, () => (random.chance(0.1) ? "" : somePart(random, random.pick(pools.names)))),
    ...someWindow(random),
  });
  const [column, direction, paging] = [random.pick(traceColumns), random.pick(directions), somePaging(random)];
  return {
    filters,
    column,
    direction,
    paging,
    query: {
      session_id: filters.session,
      user_id: filters.user,
      status: filters.status,
      tags: filters.tags,
      name: filters.name,
      ...windowQuery(random, filters),
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

export const someSessionQuestion = (random: Random, pools: Pools): SessionQuestion => {
  const filters = defined({
    user: maybe(random, 0.15, () => random.pick(pools.users)),
    tags: maybe(random, 0.15, () => [random.pick(pools.tags), random.pick(pools.tags)].slice(random.below(2))),
    query: maybe(random, 0.15, () =>
      random.chance(0.1) ? "" : somePart(random, random.pick(pools.sessions) || "chat"),
    ),
    hasError: maybe(random, 0.2, () => random.chance(0.5)),
    ...someWindow(random),
  });
  const [column, direction, paging] = [random.pick(sessionColumns), random.pick(directions), somePaging(random)];
  return {
    filters,
    column,
    direction,
    paging,
    query: {
      user_id: filters.user,
      tags: filters.tags,
      query: filters.query,
      has_error: filters.hasError === undefined ? undefined : String(filters.hasError),
      ...windowQuery(random, filters),
      sort_by: column,
      sort_order: direction,
      ...paging,
    },
  };
};

/** What analytics are asked. */
export interface AnalyticsQuestion {
  readonly metric: Metric;
  readonly granularity: Granularity;
  readonly range: Range;
  readonly query: Query;
}

const granularities = ["hour", "day", "week"] as const;
const metrics = ["volume", "errors", "latency", "cost", "tokens", "models"] as const;

/** Ranges that end on an hour and such that do not; some of them empty or upside down. */
export const someAnalyticsQuestion = (random: Random): AnalyticsQuestion => {
  const [one, other] = [someInstant(random), someInstant(random)];
  const range = one > other && random.chance(0.9) ? { after: other, before: one } : { after: one, before: other };
  const [metric, granularity] = [random.pick(metrics), random.pick(granularities)];
  return {
    metric,
    granularity,
    range,
    query: { metric, granularity, started_after: shown(range.after), started_before: shown(range.before) },
  };
};
