import type { TraceFilters } from "./filters.ts";
import { foldCase } from "../fold-case.ts";
import { parseInstant } from "../instant.ts";
import type { ListedTrace } from "./row.ts";
import type { Instant } from "./trace.ts";

/** What of a trace filters look at. */
type FilteredTrace = Pick<ListedTrace, "startedAt" | "status" | "sessionId" | "userId" | "tags" | "name">;

/** A filter made ready: whether a row matches, and the range of starts outside of which none does. */
export interface TraceFilter {
  /** Inclusive. */
  readonly from: Instant | null;
  /** Exclusive. */
  readonly to: Instant | null;
  /** Whether everything matches. */
  readonly isOpen: boolean;
  /** The session that all matches are of; null when any. */
  readonly session: string | null;
  readonly matches: (row: FilteredTrace) => boolean;
}

const bound = (text: string | undefined): Instant | null => (text === undefined ? null : parseInstant(text));

type Given = { readonly [Key in keyof TraceFilters]?: TraceFilters[Key] | undefined };

/** Reads filters as a client wrote them: exact, apart from `name` (substring in any case) and `tags` (any of them). */
export const traceFilter = (filters: Given): TraceFilter => {
  const [from, to] = [bound(filters.date_from), bound(filters.date_to)];
  const name = foldCase(filters.name ?? "");
  const tags = new Set(filters.tags ?? []);
  return {
    from,
    to,
    isOpen:
      name === "" &&
      tags.size === 0 &&
      [filters.date_from, filters.date_to, filters.status, filters.session_id, filters.user_id].every(
        (filter) => filter === undefined,
      ),
    session: filters.session_id ?? null,
    matches: (row) =>
      (from === null || row.startedAt >= from) &&
      (to === null || row.startedAt < to) &&
      (filters.status === undefined || row.status === filters.status) &&
      (filters.session_id === undefined || row.sessionId === filters.session_id) &&
      (filters.user_id === undefined || row.userId === filters.user_id) &&
      (tags.size === 0 || row.tags.some((tag) => tags.has(tag))) &&
      (name === "" || foldCase(row.name).includes(name)),
  };
};
