import * as v from "valibot";
import { analyticsRange } from "../analytics-range.ts";
import { replyInstant, oneOf, once } from "../fields.ts";
import { route } from "../route.ts";
import { traceChoiceQuery } from "./filters.ts";

const metrics = ["volume", "errors", "latency", "cost", "tokens", "models"] as const;

const integer = v.pipe(v.number(), v.integer());
const milliseconds = v.nullable(v.number());

const traceBucket = v.pipe(
  v.object({
    bucket: replyInstant,
    trace_count: integer,
    error_count: integer,
    avg_latency_ms: milliseconds,
    p50_latency_ms: milliseconds,
    p90_latency_ms: milliseconds,
    p99_latency_ms: milliseconds,
  }),
  v.title("TraceBucket"),
  v.description("Traces that started in a bucket; latencies of those that have ended, null when there is none."),
);

const usageBucket = v.pipe(
  v.object({
    bucket: replyInstant,
    total_tokens: integer,
    prompt_tokens: integer,
    completion_tokens: integer,
    total_cost: v.number(),
  }),
  v.title("UsageBucket"),
  v.description("What the spans that started in a bucket used."),
);

const modelUsage = v.pipe(
  v.object({ model: v.string(), call_count: integer, total_tokens: integer, total_cost: v.number() }),
  v.title("ModelUsage"),
  v.description("What the spans of a model used."),
);

export const getTraceAnalytics = route({
  id: "getTraceAnalytics",
  method: "GET",
  path: "/traces/analytics",
  handler: "api/traces/get-trace-analytics",
  summary: "Tell traces and what they used over time",
  description:
    "`volume`, `errors` and `latency` give a list of TraceBucket, by the start of the trace; `cost` and `tokens` a list of " +
    "UsageBucket, by the start of the span; `models` the ten ModelUsage with the most calls, the granularity aside. " +
    "Ascending, without empty buckets; at most 5 seconds old. Percentiles are exact up to 1,000 ended traces an hour and " +
    "100,000 a bucket, beyond that within 0.5 %. Of models, the 1,000 most called of an hour are told apart. Of traces that have expired the sums of " +
    "whole hours are left: they count where the hour begins. With filters the figures are of the traces that match and started " +
    "in the range, read from their rows; of `cost`, `tokens` and `models` of those of their spans that started in it.",
  access: "project",
  permission: "read",
  query: v.object({ metric: v.optional(once(oneOf(metrics)), ["volume"]), ...analyticsRange, ...traceChoiceQuery }),
  success: 200,
  reply: v.pipe(
    v.union([v.array(traceBucket), v.array(usageBucket), v.array(modelUsage)]),
    v.examples([
      [
        {
          bucket: "2026-11-21T00:00:00.000000+00:00",
          trace_count: 2,
          error_count: 0,
          avg_latency_ms: 2500,
          p50_latency_ms: 2500,
          p90_latency_ms: 2900,
          p99_latency_ms: 2990,
        },
      ],
    ]),
  ),
  grants: {
    rows: ["GetItem", "Query"],
    bodies: ["GetItem", "Query"],
    aggregates: ["Query", "BatchGetItem"],
    scores: ["Query"],
  },
  memory: 1024,
});
