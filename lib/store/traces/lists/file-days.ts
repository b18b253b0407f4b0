import type { SessionFigures } from "../../../domain/analytics/session-analytics.ts";
import type { HourFigures } from "../../../domain/analytics/trace-analytics.ts";
import type { ValueCount, ValueField } from "../../../domain/analytics/value-counts.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { SortKey, SortOrder } from "../../../domain/list-order.ts";
import type { Position } from "../../../domain/page.ts";
import type { Contribution } from "../../../domain/traces/totals.ts";
import type { SessionTotalFilters } from "../../../domain/sessions/filter.ts";
import type { SessionSortColumn, SessionSumState } from "../../../domain/sessions/session.ts";
import type { TraceFilter, TraceFilters } from "../../../domain/traces/filter.ts";
import type { TraceSortColumn } from "../../../domain/traces/sort.ts";
import type { UserTotals } from "../../../domain/traces/user-summary.ts";

/** Traces of a project, and traces in files, from which a request reads files: fewer rows are read as fast. */
export const minFiledTraces = 100_000;

/** Which traces of files a list needs. */
interface FiledQuery {
  readonly sortBy: TraceSortColumn | "score";
  readonly order: SortOrder;
  /** Name of the scores to sort by, if sorted by score. */
  readonly sortScore?: string | undefined;
  /** Cursor of the list; null to begin with the first trace. */
  readonly after: Position | null;
  readonly limit: number;
}

/** A trace in the files of its day: its sort key in the list, and what leads to its row. */
export interface FiledTrace {
  readonly id: string;
  readonly startedAt: Instant;
  readonly key: SortKey;
}

/** What files have of a list. */
export interface FiledPart {
  /** The first matching traces behind the cursor, in any order. */
  readonly traces: readonly FiledTrace[];
  /** Number of matching traces, those before the cursor included. */
  readonly total: number;
  /** False if there was no time for all files. */
  readonly isWhole: boolean;
  /** Where a list by start ends if files behind it were not read; else null. */
  readonly end: Position | null;
}

/** Which sessions of files a list needs. */
export interface FiledSessionQuery extends Pick<FiledQuery, "order" | "after" | "limit"> {
  readonly filters: SessionTotalFilters;
  readonly sortBy: SessionSortColumn;
}

/** What files have of a share of a list of sessions. */
interface FiledSessions {
  /** Number of matching sessions without rows, those before the cursor included. */
  readonly total: number;
  /** States of the first matching sessions without rows behind the cursor, and of all that have rows, in any order. */
  readonly sessions: readonly (SessionSumState & { readonly id: string })[];
}

/** Which targets of scores a request needs. */
export interface FiledTargetQuery {
  /** Traces that have scores, or sessions, with or without. */
  readonly target: "trace" | "session";
  /** Names of groups whose values are read, such as `release` or `metadata.<key>`; null for one by a fact of scores. */
  readonly dimensions: readonly (string | null)[];
  /** Scores of which a trace has one or more: their name, and their creation from `date_from` (inclusive) to `date_to` (exclusive). */
  readonly scored: { readonly [Key in "name" | "date_from" | "date_to"]?: string | undefined };
}

/** A target of scores in files: a trace by its incarnation, or a session. */
export interface FiledTarget {
  readonly id: string;
  /** Id of the session, or of a trace without one. */
  readonly cluster: string;
  /** Values of each dimension; empty for dimensions of scores. */
  readonly values: readonly (readonly (string | null)[])[];
  /** The session's newest matching trace in the files of some days, of which the values are; null for a trace. */
  readonly newest: { readonly traceId: string; readonly startedAt: Instant } | null;
}

/** Days in the range of a request that files have, beside the rows of all other days. */
export interface FileDays {
  readonly days: ReadonlySet<string>;
  /** Number of their traces. */
  readonly traces: number;
  /** Instants of which the files are not up to date: rows that start then are read instead. */
  readonly changed: readonly Instant[];
  /** Lists matching traces from the files; null if these cannot be read. */
  list(query: FiledQuery): Promise<FiledPart | null>;
  /** Sums of matching traces by hour, in any order; an hour or a value occurs once or more. `null` as in `list`, or if they are too many. */
  figures(): Promise<readonly HourFigures[] | null>;
  /** Numbers of matching traces by the value of a field. @see figures */
  values(field: ValueField): Promise<readonly ValueCount[] | null>;
  /** Sums of matching traces by user. @see figures */
  users(): Promise<readonly UserTotals[] | null>;
  /**
   * Usage of matching traces' spans that started in the filter's range, by hour and model. The id of a trace stands for usage that its
   * document has. Only of days that were chosen for it. @see figures
   */
  usage(): Promise<readonly (Contribution | string)[] | null>;
  /** Sessions of matching traces, all in one share or another. @param ids ids of the sessions that have rows beside the files. @see figures */
  sessions(query: FiledSessionQuery, ids: readonly string[]): Promise<readonly FiledSessions[] | null>;
  /** Figures of sessions of matching traces: each one with rows, and by hour those without. @see sessions */
  sessionFigures(ids: readonly string[]): Promise<readonly SessionFigures[] | null>;
  /** Targets of scores, a session once or more. Only of days that were chosen for scores. @see figures */
  targets(query: FiledTargetQuery): Promise<readonly FiledTarget[] | null>;
}

/** What a request needs of files that those of earlier versions lack: usage by hour and model, or the incarnations of scores. */
export type FiledNeed = "usage" | "scores";

/** Finds the days of a filter's range that a request reads from files; null to read rows alone. @param need leaves out days without it. */
export type FileDaysReader = (
  project: string,
  filter: Pick<TraceFilter, "from" | "to" | "scores">,
  filters: TraceFilters,
  need?: FiledNeed,
) => Promise<FileDays | null>;
