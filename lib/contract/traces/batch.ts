import * as v from "valibot";
import { violationTypes } from "../../domain/violation-types.ts";
import { listOf, uuid } from "../fields.ts";
import { shouldBe } from "../json-schema.ts";
import { route } from "../route.ts";
import { createTrace } from "./traces.ts";
import { traceInput } from "./trace-input.ts";

/** A trace of a batch: parsed by itself, so that a bad one does not hinder the others. */
export const batchItem = v.pipe(v.unknown(), shouldBe(traceInput));

const integer = v.pipe(v.number(), v.integer());

const violation = v.pipe(
  v.object({
    loc: v.array(v.union([v.string(), integer])),
    msg: v.string(),
    type: v.picklist(violationTypes),
    input: v.optional(v.nullable(v.union([v.string(), v.number(), v.boolean()]))),
  }),
  v.title("BatchViolation"),
  v.description("One thing that is wrong with a trace of a batch. `loc` is as if the trace had been sent alone."),
  v.examples([{ loc: ["body", "name"], msg: "Field required", type: "missing" }]),
);

const outcome = v.pipe(
  v.object({
    index: v.pipe(integer, v.description("Its place in the request.")),
    trace_id: v.pipe(v.nullable(uuid), v.description("Null when it is not a trace.")),
    status: v.pipe(
      integer,
      v.description("What `POST /traces` would have answered: 202, 413, 422, or 503 when it may be sent again."),
    ),
    detail: v.optional(v.union([v.string(), v.array(violation)])),
    errors: v.optional(v.array(v.object({ field: v.string(), message: v.string() }))),
  }),
  v.title("BatchOutcome"),
  v.description(
    "What came of one trace of a batch. At most 100 things that are wrong are named in all, and of each trace one.",
  ),
);

export const createTraces = route({
  id: "createTraces",
  method: "POST",
  repeats: "sent",
  path: "/traces/batch",
  handler: "api/traces/create-traces",
  summary: "Store many traces",
  description:
    "Each is stored or merged as `POST /traces` does it and has an outcome of its own, in the order of the request: one " +
    "that is refused does not hinder the others. A trace that is in a batch twice is applied in order.",
  access: "project",
  permission: "ingest",
  body: v.pipe(
    v.object({ traces: listOf(batchItem, 100, 1) }),
    v.examples([{ traces: [{ name: "support-agent", started_at: "2026-11-21T09:00:00Z" }] }]),
  ),
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
