import type { TraceStatus } from "./trace.ts";

/** What selects traces, as a client wrote it: an absent key is not set. */
export interface TraceFilters {
  /** Started then or later. */
  readonly date_from?: string;
  /** Started before then. */
  readonly date_to?: string;
  readonly status?: TraceStatus;
  readonly session_id?: string;
  readonly user_id?: string;
  /** Any of these. */
  readonly tags?: readonly string[];
  /** Part of the name, in any case. */
  readonly name?: string;
}

/** What selects sessions, by those of their traces that match. */
export interface SessionFilters extends Pick<TraceFilters, "date_from" | "date_to" | "user_id" | "tags"> {
  /** Whether one of the session's matching traces has the status ERROR. */
  readonly has_error?: boolean;
  /** Sessions with so many matching traces or more. */
  readonly min_trace_count?: number;
}
