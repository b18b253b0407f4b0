import * as v from "valibot";
import { valueFields } from "../../domain/analytics/value-counts.ts";
import { granularities } from "../../domain/analytics/bucket.ts";
import { analyticsRange } from "../analytics-range.ts";
import { integer, replyInstant, oneOf, singleValue, tokenSum } from "../schema/fields.ts";
import { route } from "../route.ts";
import { analyticsFilterQuery } from "./filters.ts";

const metrics = ["volume", "errors", "latency", "cost", "tokens", "models", "values"] as const;

const granularityDescription =
  "Size of the time buckets, which are in UTC; a week starts on Monday. `all`: one bucket for the whole range, named by its start.";

const milliseconds = v.nullable(v.number());

const traceBucket = v.pipe(
  v.object({
    bucket: replyInstant,
    trace_count: integer,
    error_count: v.pipe(integer, v.description("Traces with the status ERROR.")),
    avg_latency_ms: milliseconds,
    p50_latency_ms: milliseconds,
    p90_latency_ms: milliseconds,
    p95_latency_ms: milliseconds,
    p99_latency_ms: milliseconds,
  }),
  v.title("TraceBucket"),
  v.description(
    "Traces that started in a time bucket. Latencies cover ended traces and are null if no trace has ended.",
  ),
);

const usageBucket = v.pipe(
  v.object({
    bucket: replyInstant,
    total_tokens: tokenSum,
    prompt_tokens: tokenSum,
    completion_tokens: tokenSum,
    total_cost: v.number(),
  }),
  v.title("UsageBucket"),
  v.description("Tokens and cost in US dollars of the spans that started in a time bucket."),
);

const modelUsage = v.pipe(
  v.object({ model: v.string(), call_count: integer, total_tokens: tokenSum, total_cost: v.number() }),
  v.title("ModelUsage"),
  v.description("Calls, tokens and cost in US dollars of the spans of one model."),
);

const valueCount = v.pipe(
  v.object({
    value: v.string(),
    trace_count: integer,
    error_count: v.pipe(integer, v.description("Traces with the status ERROR.")),
  }),
  v.title("ValueCount"),
  v.description("Number of traces that have a value."),
);

export const getTraceAnalytics = route({
  id: "getTraceAnalytics",
  method: "GET",
  path: "/traces/analytics",
  handler: "api/traces/get-trace-analytics",
  summary: "Get trace analytics",
  description:
    "Returns TraceBucket items by trace start for `volume`, `errors` and `latency`, UsageBucket items by span start for `cost` " +
    "and `tokens`, and for `models` the ten ModelUsage items with the most calls in the whole range. Buckets are in ascending " +
    "order, empty ones are omitted, and the data is at most 5 seconds old. Percentiles are interpolated between the two nearest latencies, exact up to 1,000 ended traces per " +
    "hour and 100,000 per bucket, and within 0.5 % beyond that. At most the 1,000 most called models of an hour are counted " +
    "separately. Expired traces remain as hourly sums, counted at the start of the hour. With filters, only matching traces that " +
    "started in the range count; `cost`, `tokens` and `models` then cover the spans of these traces that started in the range. `values` returns the 50 ValueCount " +
    "items of the field `by` with the most traces; a trace with several models, tools, tags or prompts counts for each. " +
    "With filters, and for `values`, closed UTC days are read as by `GET /traces`, and lag behind their changes by seconds.",
  access: "project",
  permission: "read",
  query: v.object({
    metric: v.optional(singleValue(oneOf(metrics)), ["volume"]),
    by: v.optional(
      singleValue(
        v.pipe(oneOf(valueFields), v.description("Field whose values are counted, required with `metric=values`.")),
      ),
    ),
    ...analyticsRange,
    granularity: v.optional(
      singleValue(v.pipe(oneOf([...granularities, "all"]), v.description(granularityDescription))),
      ["day"],
    ),
    ...analyticsFilterQuery,
  }),
  success: 200,
  reply: v.pipe(
    v.union([v.array(traceBucket), v.array(usageBucket), v.array(modelUsage), v.array(valueCount)]),
    v.examples([
      [
        {
          bucket: "2026-11-21T00:00:00.000000+00:00",
          trace_count: 2,
          error_count: 0,
          avg_latency_ms: 2500,
          p50_latency_ms: 2500,
          p90_latency_ms: 2900,
          p95_latency_ms: 2950,
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
    // Versions of custom metrics.
    monitors: ["GetItem"],
  },
  searchesLake: true,
  warns: true,
  memory: 1024,
});
