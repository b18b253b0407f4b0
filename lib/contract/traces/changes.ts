import * as v from "valibot";
import type { SpanUpdate, TraceUpdate } from "../../domain/traces/input.ts";
import { spanKinds, spanStatuses, traceStatuses } from "../../domain/traces/trace.ts";
import { instant, json, jsonObject, listOf, oneOf, tags, text, uuid } from "../fields.ts";
import { route } from "../route.ts";
import { traceIds } from "./deletion.ts";
import { cost, label, spanInput, tokenUsage } from "./trace-input.ts";
import { span, trace } from "./trace.ts";

const name = v.nullish(text(512, 1));

const traceUpdate = v.pipe(
  v.object({
    name,
    status: v.nullish(oneOf(traceStatuses)),
    input: v.optional(json),
    output: v.optional(json),
    metadata: v.nullish(jsonObject),
    ended_at: v.nullish(instant),
    session_id: label,
    user_id: label,
    tags: v.nullish(tags),
    environment: label,
    release: label,
  }),
  v.title("TraceUpdate"),
  v.description(
    "What changes of a trace. Absent leaves a field as it is. Null clears it; `name`, `status`, `tags` and `metadata` it " +
      "leaves as they are. `metadata` merges by key, every other field is replaced.",
  ),
  v.examples([{ status: "ERROR", output: null, tags: ["checkout", "refund"] }]),
) satisfies v.GenericSchema<unknown, TraceUpdate>;

const spanUpdate = v.pipe(
  v.object({
    name,
    kind: v.nullish(oneOf(spanKinds)),
    status: v.nullish(oneOf(spanStatuses)),
    input: v.optional(json),
    output: v.optional(json),
    model: label,
    token_usage: tokenUsage,
    metadata: v.nullish(jsonObject),
    ended_at: v.nullish(instant),
    error: v.nullish(v.string("Input should be a valid string")),
    completion_start_time: v.nullish(instant),
    model_parameters: v.nullish(jsonObject),
    cost,
  }),
  v.title("SpanUpdate"),
  v.description(
    "What changes of a span. Absent leaves a field as it is. Null clears it; `name`, `kind`, `status` and `metadata` it " +
      "leaves as they are. `metadata` merges by key, every other field is replaced.",
  ),
  v.examples([{ status: "OK", ended_at: "2026-11-21T09:00:02Z", output: { state: "shipped" } }]),
) satisfies v.GenericSchema<unknown, SpanUpdate>;

/** What changing one trace takes: reading it, storing the change, moving its row under its version. */
const grants = {
  bodies: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
  rows: ["GetItem", "Query", "PutItem", "UpdateItem"],
} as const;

export const createSpans = route({
  id: "createSpans",
  method: "POST",
  repeats: "sent",
  path: "/traces/{trace_id}/spans",
  handler: "api/traces/create-spans",
  summary: "Add spans to a trace, or send them again",
  description:
    "A span whose `span_id` the trace has already is merged with it: null and absent fields never overwrite a stored value.",
  access: "project",
  permission: "ingest",
  params: v.object({ trace_id: uuid }),
  body: listOf(spanInput, 500, 1),
  success: 201,
  reply: v.pipe(
    v.object({ span_ids: v.array(uuid) }),
    v.title("SpanReceipt"),
    v.description("The ids of the spans, in the order in which they were sent."),
    v.examples([{ span_ids: ["9f1d6a52-0c0b-4d7e-a7a4-5b8f0e3c2d14"] }]),
  ),
  grants,
  memory: 1024,
});

export const updateTrace = route({
  id: "updateTrace",
  method: "PATCH",
  path: "/traces/{trace_id}",
  handler: "api/traces/update-trace",
  summary: "Change a trace",
  access: "project",
  permission: "write",
  params: v.object({ trace_id: uuid }),
  body: traceUpdate,
  success: 200,
  reply: trace,
  grants,
  streams: true,
  memory: 1024,
});

export const updateSpan = route({
  id: "updateSpan",
  method: "PATCH",
  path: "/traces/{trace_id}/spans/{span_id}",
  handler: "api/traces/update-span",
  summary: "Change a span of a trace",
  access: "project",
  permission: "write",
  params: v.object({ trace_id: uuid, span_id: uuid }),
  body: spanUpdate,
  success: 200,
  reply: span,
  grants,
  streams: true,
  memory: 1024,
});

export const tagTraces = route({
  id: "tagTraces",
  method: "POST",
  repeats: "recorded",
  path: "/traces/batch/tags",
  handler: "api/traces/tag-traces",
  summary: "Add tags to traces, and remove some",
  description:
    "Removes first, then adds: a tag in both lists is there in the end. Ids that do not exist are ignored. Nothing is " +
    "changed when one of the traces would have more than 100 tags.",
  access: "project",
  permission: "write",
  body: v.object({
    trace_ids: traceIds,
    add_tags: v.optional(tags, []),
    remove_tags: v.optional(tags, []),
  }),
  success: 200,
  reply: v.pipe(
    v.object({ updated: v.pipe(v.number(), v.integer()) }),
    v.title("Updated"),
    v.description("How many of the traces were found; none is looked for when there is nothing to add or remove."),
    v.examples([{ updated: 2 }]),
  ),
  grants: { bodies: ["GetItem"], rows: ["GetItem", "PutItem"] },
  memory: 1024,
});
