import type { Operations, SessionSummary } from "../../client/interface.ts";
import { plural } from "../format.ts";
import { hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { sessionFilterNames } from "../traces/trace-filters.ts";
import {
  instantColumn,
  ItemLink,
  nameColumn,
  namedById,
  scoresColumn,
  stateColumn,
  textColumn,
  totals,
} from "./cells.tsx";
import { namesOfScores } from "./list-query.ts";
import type { BarRequest, BarValues, ListKind, ListQuery } from "./list-kind.ts";

/** Filters of traces; the other filters apply to totals and scores of sessions, which analytics do not know. */
const traceFilters: ReadonlySet<string> = new Set([
  "has_error",
  "has_failed_span",
  "user_id",
  "tags",
  "model",
  "tool",
  "release",
  "environment",
  "prompt_name",
  "prompt_version",
  "experiment",
  "experiment_item_id",
  "first_error",
  "started_after",
  "started_before",
  "metadata",
]);

/** Reads the number of sessions and their average duration, by start of the bar. */
const sessionBars = async (
  { has_error: hasError, ...query }: ListQuery,
  range: BarRequest,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, BarValues>> => {
  const filters: Operations["getSessionAnalytics"]["query"] = Object.fromEntries(
    Object.entries(query).filter(([name]) => traceFilters.has(name)),
  );
  const failed = hasError === true ? ({ status: "ERROR" } as const) : {};
  const buckets = await client.value.getSessionAnalytics({ query: { ...filters, ...failed, ...range } }, { signal });
  return new Map(
    buckets.map(({ bucket, session_count: total, avg_session_duration_ms: duration }) => [
      Date.parse(bucket),
      { total, failed: null, duration },
    ]),
  );
};

/** List of sessions. */
export const sessionKind: ListKind<SessionSummary> = {
  noun: "session",
  columns: {
    status: {
      title: "Failed",
      ...stateColumn,
      cell: ({ has_error: hasError, has_failed_span: hasFailedSpan }) =>
        hasFailedSpan ? (
          <span class={`status ${hasError ? "bad" : "busy"}`} title={hasError ? "a failed trace" : "a failed span"}>
            <span aria-hidden="true">✕</span>
            <span class="unseen">{hasError ? "a failed trace" : "a failed span"}</span>
          </span>
        ) : null,
    },
    session: {
      title: "Session",
      ...nameColumn,
      tooltip: ({ total_span_count: spans }) => plural(spans, "span"),
      cell: ({ session_id: id, tags }) => (
        <>
          <ItemLink href={hrefTo("sessions", id)}>{id}</ItemLink>
          <span class="words-of" dir="auto">
            {tags.join(", ")}
          </span>
        </>
      ),
    },
    scores: scoresColumn,
    traces: totals.traces,
    ...totals.columns,
    user: textColumn("User", ({ user_id: user }) => user),
    first: { ...instantColumn("First trace", null, ({ first_trace_at: at }) => at), phoneWidth: undefined },
  },
  filters: sessionFilterNames,
  search: { parameter: "query", label: "Search by session id" },
  failed: { parameter: "has_error", value: "true", meaning: "Sessions with a trace of the status ERROR" },
  defaultOrder: ["recent", "Newest first"],
  orders: totals.orders,
  scoreNames: (signal) => client.value.getSessionScoreSummary({ query: {} }, { signal }).then(namesOfScores),
  list: (query, signal) =>
    client.value.listSessions(
      {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `columns` and `orders` have sort columns of this route.
        query: { ...(query as Operations["listSessions"]["query"]), include: ["scores"] },
      },
      { signal },
    ),
  barFilters: traceFilters,
  bars: sessionBars,
  barNoun: "session",
  durationTitle: "average duration",
  ...namedById("sessions", ({ session_id: id }) => id),
  targets: "sessions",
};
