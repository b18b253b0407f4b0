import * as v from "valibot";
import { sessionSortColumns } from "../../domain/sessions/session.ts";
import {
  integer,
  replyInstant,
  nextCursor,
  singleValue,
  oneOf,
  page,
  pageLimit,
  paging,
  text,
  tokenSum,
  uuid,
} from "../schema/fields.ts";
import { includedScores, includeScores } from "../included-scores.ts";
import { scoredSorting } from "../list-query.ts";
import { sessionFilterQuery } from "./filters.ts";
import { route } from "../route.ts";
import { deletedCount, deletionGrants, lateText } from "../traces/deletion.ts";
import { traceFields } from "../traces/traces.ts";
import { trace } from "../traces/trace.ts";

const sessionParams = v.object({ session_id: text(255) });

/** Query parameter for session ids that cannot be in a path: `analytics`, and ids with a slash. */
const sessionIdQuery = {
  id: v.optional(
    singleValue(
      v.pipe(
        text(255),
        v.description(
          "Session id if the path has `-`; required for ids that are path segments, such as `analytics`, or contain a slash.",
        ),
      ),
    ),
  ),
};

/** The earlier name, equal to that of the path parameter, which client generators declare twice in one function. */
const sessionIdAlias = { session_id: "id" };

const queryIdDescription = "Use `/sessions/-?id=analytics` for ids that are path segments or contain a slash.";

const summary = {
  session_id: v.string(),
  trace_count: integer,
  first_trace_at: v.pipe(replyInstant, v.description("Start of the first trace.")),
  last_trace_at: v.pipe(v.nullable(replyInstant), v.description("End of the last trace; null if no trace has ended.")),
  total_latency_ms: v.pipe(
    v.nullable(v.number()),
    v.description("Sum of the latencies of ended traces, in milliseconds; null if no trace has ended."),
  ),
  has_error: v.pipe(v.boolean(), v.description("True if a trace has the status ERROR.")),
  has_failed_span: v.pipe(v.boolean(), v.description("True if a trace has the status ERROR or a failed span.")),
  user_id: v.pipe(v.nullable(v.string()), v.description("User of the first trace that has one.")),
  tags: v.array(v.string()),
  total_span_count: integer,
  total_tokens: tokenSum,
  total_cost: v.number(),
  unpriced_tokens: v.pipe(integer, v.description("Part of `total_tokens` without a known cost.")),
};

const summaryExample = {
  session_id: "chat-7",
  trace_count: 2,
  first_trace_at: "2026-11-21T09:00:00.000000+00:00",
  last_trace_at: "2026-11-21T09:04:03.000000+00:00",
  total_latency_ms: 6000,
  has_error: false,
  has_failed_span: false,
  user_id: "user-12",
  tags: ["checkout"],
  total_span_count: 3,
  total_tokens: 1412,
  total_cost: 0.0031,
  unpriced_tokens: 0,
};

const sessionSummary = v.pipe(
  v.object({ ...summary, scores: includedScores }),
  v.title("SessionSummary"),
  v.description("Totals of the traces of one session."),
  v.examples([summaryExample]),
);

const sessionDetail = v.pipe(
  v.object({
    ...summary,
    shared_traces: v.optional(
      v.pipe(
        v.array(uuid),
        v.description(
          "Traces that have spans of this session and belong to another one, which their first span names; at most 100. They count in no total. Absent if there are none.",
        ),
      ),
    ),
    next_cursor: nextCursor,
    traces: v.array(trace),
  }),
  v.title("SessionDetail"),
  v.description("Totals of all traces of a session, and a page of these traces with their spans, ordered by start."),
  v.examples([{ ...summaryExample, next_cursor: null, traces: [] }]),
);

export type SessionSummary = v.InferOutput<typeof sessionSummary>;

/** Schema of the columns by which a list of sessions can be sorted. */
export const sessionSortBy = oneOf([...sessionSortColumns, "score"]);

export const listSessions = route({
  id: "listSessions",
  method: "GET",
  path: "/sessions",
  handler: "api/sessions/list-sessions",
  summary: "List sessions",
  description:
    "`user_id`, `tags`, `model`, `tool`, `release`, `environment`, `metadata.<key>`, `started_after` and `started_before` " +
    "select traces; the totals of a session cover its matching traces. Filters on latency, cost, tokens, `has_error` and " +
    "`has_failed_span` apply to these totals, and score filters to the scores of the session. `recent` sorts by the arrival of the newest trace, `errors` " +
    "by the number of traces with the status ERROR. Closed UTC days are read as by `GET /traces`, and lag behind changes by seconds; " +
    "with score filters, sorted by score, or behind a large `offset`, more than 2,000,000 traces are refused.",
  access: "project",
  permission: "read",
  query: v.object({
    ...paging,
    ...sessionFilterQuery,
    ...scoredSorting(sessionSortBy),
    include: includeScores,
  }),
  success: 200,
  reply: page(sessionSummary),
  grants: {
    rows: ["GetItem", "Query"],
    aggregates: ["Query", "BatchGetItem"],
    scores: ["Query"],
    // Versions of custom metrics.
    monitors: ["GetItem"],
  },
  searchesLake: true,
  warns: true,
  memory: 1769,
});

export const getSession = route({
  id: "getSession",
  method: "GET",
  path: "/sessions/{session_id}",
  handler: "api/sessions/get-session",
  summary: "Get a session",
  description:
    "Totals cover all traces of the session; `limit` and `offset` select the listed traces, ordered by start and id. A session " +
    `with too many traces for one request answers 503; a retry after a minute continues the computation. ${queryIdDescription}`,
  access: "project",
  permission: "read",
  params: sessionParams,
  query: v.object({
    limit: pageLimit(1000, 200),
    offset: paging.offset,
    cursor: paging.cursor,
    fields: traceFields,
    ...sessionIdQuery,
  }),
  queryAliases: sessionIdAlias,
  success: 200,
  reply: sessionDetail,
  grants: {
    rows: ["GetItem", "BatchGetItem", "Query"],
    bodies: ["GetItem", "BatchGetItem", "Query"],
    aggregates: ["GetItem", "Query", "PutItem", "UpdateItem"],
  },
  streams: true,
  memory: 1769,
});

export const deleteSession = route({
  id: "deleteSession",
  method: "DELETE",
  path: "/sessions/{session_id}",
  handler: "api/sessions/delete-session",
  summary: "Delete a session",
  description: `Deletes the traces and scores of the session. Other traces of the session that arrive later are not deleted. ${lateText} ${queryIdDescription}`,
  auditsDeletions: true,
  access: "project",
  permission: "write",
  params: sessionParams,
  query: v.object(sessionIdQuery),
  queryAliases: sessionIdAlias,
  success: 200,
  reply: deletedCount,
  grants: {
    bodies: deletionGrants.bodies,
    rows: [...deletionGrants.rows, "Query", "UpdateItem"],
  },
  memory: 1024,
});
