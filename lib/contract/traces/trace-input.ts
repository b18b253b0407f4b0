import * as v from "valibot";
import type { SpanInput, TraceInput } from "../../domain/traces/input.ts";
import { spanKinds, spanStatuses, traceStatuses } from "../../domain/traces/trace.ts";
import { instant, json, jsonObject, jsonObjectWithAmounts, listOf, oneOf, tags, text, uuid } from "../schema/fields.ts";

/** Schema of a filterable text field. In an update null clears the field; in new traces and spans null means absent. */
export const label = v.nullish(text(255));

/** Schema of a span's token counts; only the keys that are summed up are validated. */
export const tokenUsage = v.nullish(
  jsonObjectWithAmounts(["prompt_tokens", "completion_tokens"], Number.MAX_SAFE_INTEGER),
);

/** Schema of a span's cost in US dollars; only `total`, which is summed up, is validated. A cost takes precedence over the price list. */
export const cost = v.nullish(jsonObjectWithAmounts(["total"]));

/** Schema of a span to store. */
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
  v.description("A step of a trace; null is the same as absent."),
) satisfies v.GenericSchema<unknown, SpanInput>;

/** Schema of a trace's start; the allowed range is checked against the service's clock when the trace is stored. */
export const traceStart = v.pipe(
  instant,
  v.description("Start of the trace, from 2000-01-01 to one day from now unless the operator has set other bounds."),
);

/** Schema of a trace to store, with its spans. */
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
  v.description("A trace to store; null is the same as absent."),
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
