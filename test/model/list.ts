import { latency, type Micros } from "./instant.ts";
import { sorted, type Direction } from "./order.ts";
import { listItem } from "./replies.ts";
import type { ModelTrace } from "./trace.ts";

/** What selects traces; what is left out selects all. */
export interface Filters {
  readonly session?: string;
  readonly user?: string;
  readonly status?: string;
  /** Any of them. */
  readonly tags?: readonly string[];
  /** Part of the name, in any case. */
  readonly name?: string;
  /** Inclusive. */
  readonly after?: Micros;
  /** Exclusive. */
  readonly before?: Micros;
}

export type TraceColumn = "started_at" | "ended_at" | "name" | "latency" | "status";

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

const within = (at: Micros, { after, before }: Filters): boolean =>
  (after === undefined || at >= after) && (before === undefined || at < before);

export const selected = (traces: readonly ModelTrace[], filters: Filters): readonly ModelTrace[] =>
  traces.filter(
    (trace) =>
      within(trace.startedAt, filters) &&
      (filters.session === undefined || trace.session === filters.session) &&
      (filters.user === undefined || trace.user === filters.user) &&
      (filters.status === undefined || trace.status === filters.status) &&
      (filters.tags === undefined ||
        filters.tags.length === 0 ||
        filters.tags.some((tag) => trace.tags.includes(tag))) &&
      (filters.name === undefined || contains(trace.name, filters.name)),
  );

const columns: Readonly<Record<TraceColumn, (trace: ModelTrace) => string | number | bigint | null>> = {
  started_at: ({ startedAt }) => startedAt,
  ended_at: ({ endedAt }) => endedAt,
  name: ({ name }) => name,
  latency: ({ startedAt, endedAt }) => latency(startedAt, endedAt),
  status: ({ status }) => status,
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
