import { foldCase } from "../fold-case.ts";
import { parseInstant, type Instant } from "../instant.ts";
import type { NothingElse } from "../nothing-else.ts";
import type { ListedTrace } from "./row.ts";
import type { TraceStatus } from "./trace.ts";

/** What selects traces, as a client wrote it; what is absent is not set. */
export interface TraceFilters {
  /** Started then or later. */
  readonly date_from?: string | undefined;
  /** Started before then. */
  readonly date_to?: string | undefined;
  readonly status?: TraceStatus | undefined;
  readonly session_id?: string | undefined;
  readonly user_id?: string | undefined;
  /** Any of these; none asks nothing. */
  readonly tags?: readonly string[] | undefined;
  /** Part of the name, in any case. */
  readonly name?: string | undefined;
}

/** What of a trace filters look at. */
type FilteredTrace = Pick<ListedTrace, "startedAt" | "status" | "sessionId" | "userId" | "tags" | "name">;

/** A filter made ready: whether a row matches, and the range of starts outside of which none does. */
export interface TraceFilter {
  /** Inclusive. */
  readonly from: Instant | null;
  /** Exclusive. */
  readonly to: Instant | null;
  /** Whether everything matches. */
  readonly matchesAll: boolean;
  /** The session that all matches are of; null when any. */
  readonly session: string | null;
  readonly matches: (row: FilteredTrace) => boolean;
}

const bound = (text: string | undefined): Instant | null => (text === undefined ? null : parseInstant(text));

/** Makes filters ready: a row matches when it passes the test of every filter that is set. */
export const traceFilter = <Given extends TraceFilters>(filters: NothingElse<TraceFilters, Given>): TraceFilter => {
  const { status, session_id: session, user_id: user } = filters;
  const [from, to] = [bound(filters.date_from), bound(filters.date_to)];
  const name = foldCase(filters.name ?? "");
  const tags = new Set(filters.tags);
  /** What each filter asks of a trace; null where it is not set. */
  const tests: Readonly<Record<keyof TraceFilters, ((row: FilteredTrace) => boolean) | null>> = {
    date_from: from === null ? null : (row) => row.startedAt >= from,
    date_to: to === null ? null : (row) => row.startedAt < to,
    status: status === undefined ? null : (row) => row.status === status,
    session_id: session === undefined ? null : (row) => row.sessionId === session,
    user_id: user === undefined ? null : (row) => row.userId === user,
    tags: tags.size === 0 ? null : (row) => row.tags.some((tag) => tags.has(tag)),
    name: name === "" ? null : (row) => foldCase(row.name).includes(name),
  };
  const set = Object.values(tests).filter((test) => test !== null);
  return {
    from,
    to,
    matchesAll: set.length === 0,
    session: session ?? null,
    matches: (row) => set.every((test) => test(row)),
  };
};
