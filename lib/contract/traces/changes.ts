import * as v from "valibot";
import type { SpanUpdate, TraceUpdate } from "../../domain/traces/input.ts";
import { spanKinds, spanStatuses, traceStatuses } from "../../domain/traces/trace.ts";
import { instant, json, jsonObject, listOf, oneOf, tags, text, uuid } from "../schema/fields.ts";
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
    "Changes to a trace. Absent fields keep their values. Null clears a field, except `name`, `status`, `tags` and `metadata`, " +
      "which it leaves unchanged. `metadata` is merged by key; other fields are replaced.",
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
    "Changes to a span. Absent fields keep their values. Null clears a field, except `name`, `kind`, `status` and `metadata`, " +
      "which it leaves unchanged. `metadata` is merged by key; other fields are replaced.",
  ),
  v.examples([{ status: "OK", ended_at: "2026-11-21T09:00:02Z", output: { state: "shipped" } }]),
) satisfies v.GenericSchema<unknown, SpanUpdate>;

/** DynamoDB actions of a change to one trace: read the trace, store the change, update its row. */
const grants = {
  bodies: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
  rows: ["GetItem", "Query", "PutItem", "UpdateItem"],
} as const;

/** Those of a PATCH: the request counter of `createSpans` too, so that both have one role, as an account has room for 1,000. */
const patchGrants = { ...grants, limits: ["UpdateItem"] } as const;

export const createSpans = route({
  id: "createSpans",
  method: "POST",
  idempotency: "replay-by-header",
  path: "/traces/{trace_id}/spans",
  handler: "api/traces/create-spans",
  summary: "Add spans to a trace",
  description:
    "A span with a `span_id` that the trace already has is merged: null and absent fields never overwrite stored values.",
  access: "project",
  permission: "ingest",
  params: v.object({ trace_id: uuid }),
  body: listOf(spanInput, 500, 1),
  success: 201,
  reply: v.pipe(
    v.object({ span_ids: v.array(uuid) }),
    v.title("SpanReceipt"),
    v.description("Ids of the spans, in the order of the request."),
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
  summary: "Update a trace",
  access: "project",
  permission: "write",
  params: v.object({ trace_id: uuid }),
  body: traceUpdate,
  hasContent: true,
  success: 200,
  reply: trace,
  grants: patchGrants,
  streams: true,
  memory: 1024,
});

export const updateSpan = route({
  id: "updateSpan",
  method: "PATCH",
  path: "/traces/{trace_id}/spans/{span_id}",
  handler: "api/traces/update-span",
  summary: "Update a span",
  access: "project",
  permission: "write",
  params: v.object({ trace_id: uuid, span_id: uuid }),
  body: spanUpdate,
  hasContent: true,
  success: 200,
  reply: span,
  grants: patchGrants,
  streams: true,
  memory: 1024,
});

export const tagTraces = route({
  id: "tagTraces",
  method: "POST",
  idempotency: "replay",
  path: "/traces/batch/tags",
  handler: "api/traces/tag-traces",
  summary: "Add and remove tags of traces",
  description:
    "Removes tags first, then adds: a tag in both lists remains. Unknown trace ids are ignored. Nothing is changed if any of the " +
    "traces would get more than 100 tags.",
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
    v.title("UpdatedCount"),
    v.description("Number of existing traces in the request; 0 if there are no tags to add or remove."),
    v.examples([{ updated: 2 }]),
  ),
  grants: { bodies: ["GetItem"], rows: ["GetItem", "PutItem"] },
  memory: 1024,
});
