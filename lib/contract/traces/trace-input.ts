import * as v from "valibot";
import type { SpanInput, TraceInput } from "../../domain/traces/input.ts";
import { spanKinds, spanStatuses, traceStatuses } from "../../domain/traces/trace.ts";
import { instant, json, jsonObject, jsonObjectWithAmounts, listOf, oneOf, tags, text, uuid } from "../fields.ts";

/** A text by which traces are found; null clears or is not given. */
export const label = v.nullish(text(255));

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
