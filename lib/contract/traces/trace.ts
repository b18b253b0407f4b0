import * as v from "valibot";
import { maxMatches, searchedFields, snippetLength } from "../../domain/traces/search/matches.ts";
import { spanKinds, spanStatuses, traceStatuses } from "../../domain/traces/trace.ts";
import { integer, replyInstant, json, jsonObject, oneOf, tokenSum, uuid } from "../schema/fields.ts";
import { includedScores } from "../included-scores.ts";

const externalId = v.optional(
  v.pipe(
    v.string(),
    v.description(
      "Text by which a client of another product identifies it; absent if that is a UUID or an OpenTelemetry id.",
    ),
  ),
);

/** Schema of a span in replies. */
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
    started_at: replyInstant,
    ended_at: v.nullable(replyInstant),
    error: v.nullable(v.string()),
    completion_start_time: v.nullable(replyInstant),
    model_parameters: v.nullable(jsonObject),
    cost: v.pipe(
      v.nullable(jsonObject),
      v.description(
        'Cost in US dollars from the client, else computed from `GET /prices` as `input`, `output`, `total` and `source: "price_list"`.',
      ),
    ),
    latency_ms: v.nullable(v.number()),
    time_to_first_token_ms: v.nullable(v.number()),
    external_id: externalId,
    clock: v.optional(
      v.pipe(
        oneOf(["outside"]),
        v.description(
          "`outside` for an OpenTelemetry span that starts or ends more than 60 seconds outside its trace: its clock differs, or it outlived the top spans. Else absent.",
        ),
      ),
    ),
  }),
  v.title("Span"),
  v.description("A step of a trace."),
);

const summary = {
  trace_id: uuid,
  name: v.string(),
  status: oneOf(traceStatuses),
  started_at: replyInstant,
  ended_at: v.nullable(replyInstant),
  ended_by: v.optional(
    v.pipe(
      oneOf(["silence"]),
      v.description(
        "`silence` for a trace whose top span never arrived: no span came for the project's `trace_silence`, and a later one opens it again. Else absent.",
      ),
    ),
  ),
  session_id: v.nullable(v.string()),
  user_id: v.nullable(v.string()),
  tags: v.array(v.string()),
  environment: v.nullable(v.string()),
  release: v.nullable(v.string()),
  total_tokens: integer,
  total_cost: v.number(),
  unpriced_tokens: v.pipe(
    integer,
    v.description(
      "Part of `total_tokens` without a known cost: the client sent none, and `GET /prices` has no price of the model or of this kind of tokens.",
    ),
  ),
};

/** Schema of the number of masked texts by rule. */
export const maskedTexts = v.pipe(
  v.record(v.string(), integer),
  v.description(
    "Number of texts `[masked:<rule>]` by rule in the trace as it is stored; absent from traces without any.",
  ),
);

/** Fields of traces whose spans name a prompt or an experiment. */
const provenance = {
  prompts: v.optional(
    v.pipe(
      v.array(v.object({ name: v.nullable(v.string()), version: v.nullable(v.string()) })),
      v.description("Distinct prompts of a prompt library that the spans used, at most 16; absent if there is none."),
    ),
  ),
  experiment: v.optional(
    v.pipe(
      v.string(),
      v.description("Experiment for which the trace ran: its name, else its id; absent if there is none."),
    ),
  ),
  experiment_item_id: v.optional(v.pipe(v.string(), v.description("Item of the experiment; absent if there is none."))),
};

const summaryExample = {
  trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
  name: "support-agent",
  status: "COMPLETED" as const,
  started_at: "2026-11-21T09:00:00.000000+00:00",
  ended_at: "2026-11-21T09:00:03.000000+00:00",
  session_id: "chat-7",
  user_id: null,
  tags: ["checkout"],
  environment: null,
  release: null,
  total_tokens: 0,
  total_cost: 0,
  unpriced_tokens: 0,
};

/** Schema of a trace with its spans in replies. */
export const trace = v.pipe(
  v.object({
    ...summary,
    ...provenance,
    project_id: uuid,
    external_id: externalId,
    input: json,
    output: json,
    metadata: jsonObject,
    masked: v.optional(maskedTexts),
    spans: v.array(span),
  }),
  v.title("Trace"),
  v.description("A trace with its spans, ordered by start."),
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
          started_at: "2026-11-21T09:00:01.000000+00:00",
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

const textMatch = v.pipe(
  v.object({
    span_id: v.pipe(v.nullable(uuid), v.description("Span of the text; null for the trace's own input or output.")),
    field: oneOf(searchedFields),
    snippet: v.pipe(v.string(), v.description(`The text around the match, at most ${snippetLength} characters.`)),
  }),
  v.title("TextMatch"),
);

/** Schema of a trace in lists, without spans. */
export const traceListItem = v.pipe(
  v.object({
    ...summary,
    ...provenance,
    latency_ms: v.nullable(v.number()),
    span_count: integer,
    has_failed_span: v.pipe(v.boolean(), v.description("True if the trace has the status ERROR or a failed span.")),
    first_error: v.optional(
      v.pipe(
        v.string(),
        v.description(
          "First 120 characters of the error of the span that failed first, on one line, type and message without the stack; absent if no span has one.",
        ),
      ),
    ),
    input_preview: v.optional(
      v.pipe(
        v.nullable(v.string()),
        v.description(
          "First 120 characters of the input on one line, JSON for structured data, null without input; present with `include=preview`.",
        ),
      ),
    ),
    scores: includedScores,
    matches: v.optional(
      v.pipe(
        v.array(textMatch),
        v.description(`Where the trace matches \`q\`, at most ${maxMatches} places; absent without \`q\`.`),
      ),
    ),
  }),
  v.title("TraceListItem"),
  v.description("A trace in a list, without its content and spans."),
  v.examples([{ ...summaryExample, latency_ms: 3000, span_count: 1, has_failed_span: false }]),
);

/** Schema of the totals of a user's traces. */
export const userSummary = v.pipe(
  v.object({
    user_id: v.string(),
    trace_count: integer,
    first_seen: v.pipe(replyInstant, v.description("Start of the user's first trace.")),
    last_seen: v.pipe(replyInstant, v.description("Start of the user's last trace.")),
    error_count: v.pipe(integer, v.description("Traces with the status ERROR.")),
    total_latency_ms: v.pipe(
      v.nullable(v.number()),
      v.description("Sum of the latencies of ended traces, in milliseconds; null if no trace has ended."),
    ),
    total_tokens: tokenSum,
    total_cost: v.number(),
    unpriced_tokens: v.pipe(integer, v.description("Part of `total_tokens` without a known cost.")),
  }),
  v.title("UserSummary"),
  v.description("Totals of the traces of one user."),
  v.examples([
    {
      user_id: "user-12",
      trace_count: 3,
      first_seen: "2026-11-20T16:12:40.000000+00:00",
      last_seen: "2026-11-21T09:00:00.000000+00:00",
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
