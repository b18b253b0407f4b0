import * as v from "valibot";
import { sessionSortColumns } from "../../domain/sessions/session.ts";
import { replyInstant, nextCursor, once, oneOf, page, pageLimit, paging, text } from "../fields.ts";
import { includedScores, includeScores } from "../included-scores.ts";
import { scoredSorting } from "../list-query.ts";
import { sessionFilterQuery } from "./filters.ts";
import { route } from "../route.ts";
import { deletedCount, deletionGrants } from "../traces/deletion.ts";
import { traceFields } from "../traces/traces.ts";
import { trace } from "../traces/trace.ts";

const integer = v.pipe(v.number(), v.integer());

const sessionParams = v.object({ session_id: text(255) });

/** How a session is named whose id is a word of a path, such as `analytics`, or has a slash. */
const namedInQuery = {
  session_id: v.optional(
    once(
      v.pipe(
        text(255),
        v.description("The session's id where the path has `-`: any id, also one that is a word of a path."),
      ),
    ),
  ),
};

const byQuery = "`/sessions/-?session_id=analytics` names any session, also one whose id is a word of a path.";

const summary = {
  session_id: v.string(),
  trace_count: integer,
  first_trace_at: v.pipe(replyInstant, v.description("When the first of its traces started.")),
  last_trace_at: v.pipe(
    v.nullable(replyInstant),
    v.description("When the last of its traces ended; null when none has."),
  ),
  total_latency_ms: v.pipe(v.nullable(v.number()), v.description("Of the traces that ended; null when none has.")),
  has_error: v.boolean(),
  user_id: v.pipe(v.nullable(v.string()), v.description("Of the trace that started first among those that have one.")),
  tags: v.array(v.string()),
  total_span_count: integer,
  total_tokens: integer,
  total_cost: v.number(),
  unpriced_tokens: v.pipe(integer, v.description("Tokens of `total_tokens` that no cost is known for.")),
};

const summaryExample = {
  session_id: "chat-7",
  trace_count: 2,
  first_trace_at: "2026-11-21T09:00:00.000000+00:00",
  last_trace_at: "2026-11-21T09:04:03.000000+00:00",
  total_latency_ms: 6000,
  has_error: false,
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
  v.description("The traces with one session id, summed up."),
  v.examples([summaryExample]),
);

const sessionDetail = v.pipe(
  v.object({ ...summary, next_cursor: nextCursor, traces: v.array(trace) }),
  v.title("SessionDetail"),
  v.description("All traces of a session summed up, and some of them with their spans, by start."),
  v.examples([{ ...summaryExample, next_cursor: null, traces: [] }]),
);

export type SessionSummary = v.InferOutput<typeof sessionSummary>;

/** What a list of sessions can be ordered by. */
export const sessionSortBy = oneOf([...sessionSortColumns, "score"]);

export const listSessions = route({
  id: "listSessions",
  method: "GET",
  path: "/sessions",
  handler: "api/sessions/list-sessions",
  summary: "List sessions",
  description:
    "`user_id`, `tags`, `model`, `tool`, `release`, `environment`, `metadata.<key>`, `started_after` and `started_before` " +
    "choose traces: a session is summed up over those of its traces that match. Latency, cost, tokens and `has_error` are " +
    "those of that sum, scores those of the session. `recent` orders by the arrival of its newest trace, `errors` by how many " +
    "of its traces have the status ERROR.",
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
  grants: { rows: ["GetItem", "Query"], aggregates: ["Query", "BatchGetItem"], scores: ["Query"] },
  memory: 1769,
});

export const getSession = route({
  id: "getSession",
  method: "GET",
  path: "/sessions/{session_id}",
  handler: "api/sessions/get-session",
  summary: "Read a session with its traces",
  description:
    "The summary is of all its traces; `limit` and `offset` choose which of them are listed, by start and id. A session " +
    `with more traces than one request can add up answers 503; asked again after a minute, it goes on where it ended. ${byQuery}`,
  access: "project",
  permission: "read",
  params: sessionParams,
  query: v.object({
    limit: pageLimit(1000, 200),
    offset: paging.offset,
    cursor: paging.cursor,
    fields: traceFields,
    ...namedInQuery,
  }),
  success: 200,
  reply: sessionDetail,
  grants: {
    rows: ["GetItem", "Query"],
    bodies: ["GetItem", "Query"],
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
  summary: "Delete a session: its traces and its scores",
  description: `Traces that are sent to the session afterwards are not touched. ${byQuery}`,
  notesDeletions: true,
  access: "project",
  permission: "write",
  params: sessionParams,
  query: v.object(namedInQuery),
  success: 200,
  reply: deletedCount,
  grants: {
    bodies: deletionGrants.bodies,
    rows: [...deletionGrants.rows, "Query", "UpdateItem"],
  },
  memory: 1024,
});
