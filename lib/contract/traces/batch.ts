import * as v from "valibot";
import { violationTypes } from "../../domain/violation-types.ts";
import { integer, listOf, uuid } from "../schema/fields.ts";
import { documentedBySchema } from "../schema/json-schema.ts";
import { route } from "../route.ts";
import { createTrace } from "./traces.ts";
import { traceInput } from "./trace-input.ts";

/** Schema of one trace in a batch. Each trace is parsed on its own later, so that an invalid trace does not reject the batch. */
export const batchItem = v.pipe(v.unknown(), documentedBySchema(traceInput));

const violation = v.pipe(
  v.object({
    loc: v.array(v.union([v.string(), integer])),
    msg: v.string(),
    type: v.picklist(violationTypes),
    input: v.optional(v.nullable(v.union([v.string(), v.number(), v.boolean()]))),
  }),
  v.title("BatchViolation"),
  v.description(
    "A validation error of one trace in a batch, with the `loc` that it has in a request with this trace alone.",
  ),
  v.examples([{ loc: ["body", "name"], msg: "Field required", type: "missing" }]),
);

const outcome = v.pipe(
  v.object({
    index: v.pipe(integer, v.description("Index of the trace in the request, starting at 0.")),
    trace_id: v.pipe(v.nullable(uuid), v.description("Id of the trace; null if the trace is invalid.")),
    status: v.pipe(
      integer,
      v.description(
        "HTTP status that `POST /traces` would return for this trace: 202, 404 (`trace_deleted`), 413, 422, or 503 if it can be sent again.",
      ),
    ),
    detail: v.optional(v.union([v.string(), v.array(violation)])),
    errors: v.optional(v.array(v.object({ field: v.string(), message: v.string() }))),
  }),
  v.title("BatchOutcome"),
  v.description(
    "Result of one trace in a batch. A reply has at most 100 validation errors, and at most one per trace.",
  ),
);

export const createTraces = route({
  id: "createTraces",
  method: "POST",
  idempotency: "replay-by-header",
  path: "/traces/batch",
  handler: "api/traces/create-traces",
  summary: "Store a batch of traces",
  description:
    "Stores or merges each trace like `POST /traces`. Results are per trace, in the order of the request: an invalid trace does " +
    "not affect the others. Several items with the same `trace_id` are applied in order.",
  access: "project",
  permission: "ingest",
  body: v.pipe(
    v.object({ traces: listOf(batchItem, 100, 1) }),
    v.examples([{ traces: [{ name: "support-agent", started_at: "2026-11-21T09:00:00Z" }] }]),
  ),
  hasItems: true,
  success: 202,
  reply: v.pipe(
    v.object({ results: v.array(outcome) }),
    v.title("BatchReceipt"),
    v.examples([{ results: [{ index: 0, trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01", status: 202 }] }]),
  ),
  limitPerMinute: 100,
  grants: createTrace.grants,
  memory: 1024,
});
