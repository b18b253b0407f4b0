import * as v from "valibot";
import { traceSortColumns } from "../../domain/traces/sort.ts";
import { userSortColumns } from "../../domain/traces/user-summary.ts";
import type { SpanInput, TraceInput } from "../../domain/traces/input.ts";
import { spanKinds, spanStatuses, traceStatuses } from "../../domain/traces/trace.ts";
import {
  instant,
  json,
  jsonObject,
  jsonObjectWithAmounts,
  listOf,
  once,
  oneOf,
  page,
  paging,
  tags,
  text,
  uuid,
} from "../fields.ts";
import { scoredSorting, sorting } from "../list-query.ts";
import { includedScores, includeScores } from "../included-scores.ts";
import { route } from "../route.ts";
import { traceFilterQuery } from "./filters.ts";

/** A text by which traces are found; null clears or is not given. */
export const label = v.nullish(text(255));
const integer = v.pipe(v.number(), v.integer());

/** Token counts of a span; the keys that are added up are checked. */
export const tokenUsage = v.nullish(
  jsonObjectWithAmounts(["prompt_tokens", "completion_tokens"], Number.MAX_SAFE_INTEGER),
);

/** Cost of a span in dollars; the key that is added up is checked. One with an amount wins over the price list. */
export const cost = v.nullish(jsonObjectWithAmounts(["total"]));

export const spanInput = v.pipe(
  v.object({
    span_id: v.nullish(uuid),
    parent_span_id: v.nullish(uuid),
    name: text(512, 1),
    kind: v.nullish(oneOf(spanKinds)),
    status: v.nullish(oneOf(spanStatuses)),
    input: v.optional(json),
    output: v.optional(json),
    model: label,
    token_usage: tokenUsage,
    metadata: v.optional(jsonObject),
    started_at: instant,
    ended_at: v.nullish(instant),
    error: v.nullish(v.string("Input should be a valid string")),
    completion_start_time: v.nullish(instant),
    model_parameters: v.nullish(jsonObject),
    cost,
  }),
  v.title("SpanInput"),
  v.description("One step of a trace. Absent and null both mean not given."),
) satisfies v.GenericSchema<unknown, SpanInput>;

/** Asked for by our clock when the trace is stored. */
export const traceStart = v.pipe(
  instant,
  v.description("From 2000-01-01 to one day from now, unless the operator chose other bounds: 422 outside."),
);

export const traceInput = v.pipe(
  v.object({
    trace_id: v.nullish(uuid),
    name: text(512, 1),
    status: v.nullish(oneOf(traceStatuses)),
    input: v.optional(json),
    output: v.optional(json),
    metadata: v.optional(jsonObject),
    started_at: traceStart,
    ended_at: v.nullish(instant),
    session_id: label,
    user_id: label,
    environment: label,
    release: label,
    tags: v.optional(tags),
    spans: v.optional(listOf(spanInput, 500)),
  }),
  v.title("TraceInput"),
  v.description("A trace as a client sends it. Absent and null both mean not given."),
  v.examples([
    {
      name: "support-agent",
      started_at: "2026-11-21T09:00:00Z",
      ended_at: "2026-11-21T09:00:03Z",
      input: "Where is my order 1042?",
      output: "It left our warehouse and arrives tomorrow.",
      session_id: "chat-7",
      tags: ["checkout"],
      spans: [
        {
          name: "lookup_order",
          kind: "TOOL",
          status: "OK",
          started_at: "2026-11-21T09:00:01Z",
          input: { order: 1042 },
          output: { state: "shipped" },
        },
      ],
    },
  ]),
) satisfies v.GenericSchema<unknown, TraceInput>;

export const span = v.pipe(
  v.object({
    span_id: uuid,
    trace_id: uuid,
    parent_span_id: v.nullable(uuid),
    name: v.string(),
    kind: oneOf(spanKinds),
    status: oneOf(spanStatuses),
    input: json,
    output: json,
    model: v.nullable(v.string()),
    token_usage: v.nullable(jsonObject),
    metadata: jsonObject,
    started_at: instant,
    ended_at: v.nullable(instant),
    error: v.nullable(v.string()),
    completion_start_time: v.nullable(instant),
    model_parameters: v.nullable(jsonObject),
    cost: v.pipe(
      v.nullable(jsonObject),
      v.description(
        'US dollars. What the client said; else, of a model in `GET /prices`, `input`, `output`, `total` and `source: "price_list"`.',
      ),
    ),
    latency_ms: v.nullable(v.number()),
    time_to_first_token_ms: v.nullable(v.number()),
  }),
  v.title("Span"),
  v.description("One step of a trace."),
);

const summary = {
  trace_id: uuid,
  name: v.string(),
  status: oneOf(traceStatuses),
  started_at: instant,
  ended_at: v.nullable(instant),
  session_id: v.nullable(v.string()),
  user_id: v.nullable(v.string()),
  tags: v.array(v.string()),
  environment: v.nullable(v.string()),
  release: v.nullable(v.string()),
  total_tokens: integer,
  total_cost: v.number(),
  unpriced_tokens: v.pipe(
    integer,
    v.description("Tokens of `total_tokens` that no cost is known for: neither the client nor `GET /prices` says one."),
  ),
};

const summaryExample = {
  trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
  name: "support-agent",
  status: "COMPLETED" as const,
  started_at: "2026-11-21T09:00:00+00:00",
  ended_at: "2026-11-21T09:00:03+00:00",
  session_id: "chat-7",
  user_id: null,
  tags: ["checkout"],
  environment: null,
  release: null,
  total_tokens: 0,
  total_cost: 0,
  unpriced_tokens: 0,
};

export const trace = v.pipe(
  v.object({
    ...summary,
    project_id: uuid,
    input: json,
    output: json,
    metadata: jsonObject,
    spans: v.array(span),
  }),
  v.title("Trace"),
  v.description("A trace with its spans, by start."),
  v.examples([
    {
      ...summaryExample,
      project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      input: "Where is my order 1042?",
      output: "It left our warehouse and arrives tomorrow.",
      metadata: {},
      spans: [
        {
          span_id: "9f1d6a52-0c0b-4d7e-a7a4-5b8f0e3c2d14",
          trace_id: summaryExample.trace_id,
          parent_span_id: null,
          name: "lookup_order",
          kind: "TOOL",
          status: "OK",
          input: { order: 1042 },
          output: { state: "shipped" },
          model: null,
          token_usage: null,
          metadata: {},
          started_at: "2026-11-21T09:00:01+00:00",
          ended_at: null,
          error: null,
          completion_start_time: null,
          model_parameters: null,
          cost: null,
          latency_ms: null,
          time_to_first_token_ms: null,
        },
      ],
    },
  ]),
);

const traceListItem = v.pipe(
  v.object({ ...summary, latency_ms: v.nullable(v.number()), span_count: integer, scores: includedScores }),
  v.title("TraceListItem"),
  v.description("A trace without its content."),
  v.examples([{ ...summaryExample, latency_ms: 3000, span_count: 1 }]),
);

const userSummary = v.pipe(
  v.object({
    user_id: v.string(),
    trace_count: integer,
    first_seen: v.pipe(instant, v.description("When the first of the user's traces started.")),
    last_seen: v.pipe(instant, v.description("When the last of the user's traces started.")),
    error_count: integer,
    total_latency_ms: v.pipe(v.nullable(v.number()), v.description("Of the traces that ended; null when none has.")),
    total_tokens: integer,
    total_cost: v.number(),
    unpriced_tokens: v.pipe(integer, v.description("Tokens of `total_tokens` that no cost is known for.")),
  }),
  v.title("UserSummary"),
  v.description("The traces of one user, summed up."),
  v.examples([
    {
      user_id: "user-12",
      trace_count: 3,
      first_seen: "2026-11-20T16:12:40+00:00",
      last_seen: "2026-11-21T09:00:00+00:00",
      error_count: 0,
      total_latency_ms: 6000,
      total_tokens: 1412,
      total_cost: 0.0031,
      unpriced_tokens: 0,
    },
  ]),
);

export type TraceReply = v.InferOutput<typeof trace>;
export type SpanReply = v.InferOutput<typeof span>;
export type UserReply = v.InferOutput<typeof userSummary>;
export type TraceListItem = v.InferOutput<typeof traceListItem>;

const traceReceipt = v.pipe(
  v.object({ trace_id: uuid, task_id: v.string() }),
  v.title("TraceReceipt"),
  v.description("The trace is durable. `task_id` is the request's id."),
  v.examples([{ trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01", task_id: "9a57bedc-dd72-4906-ab9a-d0cd43bb4d80" }]),
);

export const createTrace = route({
  id: "createTrace",
  method: "POST",
  repeats: "sent",
  path: "/traces",
  handler: "api/traces/create-trace",
  summary: "Store a trace; a trace sent again is merged",
  description:
    "What was accepted is durable and can be read at once. A trace whose `trace_id` is stored already is merged with it: " +
    "null and absent fields never overwrite a stored value, metadata merges by key, tags unite, spans merge by `span_id`.",
  access: "project",
  permission: "ingest",
  body: traceInput,
  success: 202,
  reply: traceReceipt,
  limitPerMinute: 100,
  grants: {
    bodies: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
    rows: ["GetItem", "Query", "PutItem", "UpdateItem"],
  },
  memory: 1024,
});

/** What a list of traces can be ordered by. */
export const traceSortBy = oneOf([...traceSortColumns, "score"]);

export const listTraces = route({
  id: "listTraces",
  method: "GET",
  path: "/traces",
  handler: "api/traces/list-traces",
  summary: "List traces",
  description:
    "Newest first, what every filter matches. `total` is exact; without a filter and by start it may lag behind writes by " +
    "seconds. A list that would have to read more than 2,000,000 traces is refused: narrow the range of starts.",
  access: "project",
  permission: "read",
  query: v.object({
    ...paging,
    ...traceFilterQuery,
    ...scoredSorting(traceSortBy),
    include: includeScores,
  }),
  success: 200,
  reply: page(traceListItem),
  grants: { rows: ["GetItem", "Query"], aggregates: ["Query", "BatchGetItem"], scores: ["Query"] },
  memory: 1769,
});

export const listUsers = route({
  id: "listUsers",
  method: "GET",
  path: "/traces/users",
  handler: "api/traces/list-users",
  summary: "List the users of traces",
  description: "Who was seen last first. Filters choose traces: a user is summed up over those that match.",
  access: "project",
  permission: "read",
  query: v.object({ ...paging, ...traceFilterQuery, ...sorting(userSortColumns) }),
  success: 200,
  reply: page(userSummary),
  grants: { rows: ["GetItem", "Query"], aggregates: ["Query", "BatchGetItem"], scores: ["Query"] },
  memory: 1769,
});

/** How much of a trace is read. */
export const traceFields = v.optional(
  once(
    v.pipe(
      oneOf(["all", "skeleton"]),
      v.description(
        "`skeleton`: spans come without their bodies, `input`, `output` and `model_parameters` null and `metadata` empty; " +
          "`GET /traces/{trace_id}/spans/{span_id}` reads one whole.",
      ),
    ),
  ),
  ["all"],
);

export const getTrace = route({
  id: "getTrace",
  method: "GET",
  path: "/traces/{trace_id}",
  handler: "api/traces/get-trace",
  summary: "Read a trace with its spans",
  access: "project",
  permission: "read",
  params: v.object({ trace_id: uuid }),
  query: v.object({ fields: traceFields }),
  success: 200,
  reply: trace,
  grants: { bodies: ["Query"], rows: ["GetItem"] },
  streams: true,
});

export const getSpan = route({
  id: "getSpan",
  method: "GET",
  path: "/traces/{trace_id}/spans/{span_id}",
  handler: "api/traces/get-span",
  summary: "Read a span of a trace",
  access: "project",
  permission: "read",
  params: v.object({ trace_id: uuid, span_id: uuid }),
  success: 200,
  reply: span,
  grants: { bodies: ["Query"], rows: ["GetItem"] },
  streams: true,
});
