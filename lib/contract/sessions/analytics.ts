import * as v from "valibot";
import { analyticsRange } from "../analytics-range.ts";
import { replyInstant } from "../schema/fields.ts";
import { route } from "../route.ts";
import { analyticsFilterQuery } from "../traces/filters.ts";

const sessionBucket = v.pipe(
  v.object({
    bucket: replyInstant,
    session_count: v.pipe(v.number(), v.integer()),
    avg_traces_per_session: v.number(),
    avg_session_duration_ms: v.nullable(v.number()),
  }),
  v.title("SessionBucket"),
  v.description(
    "Sessions whose first trace in the range started in a time bucket; the duration of a session is the sum of its traces' latencies.",
  ),
  v.examples([
    {
      bucket: "2026-11-21T00:00:00.000000+00:00",
      session_count: 2,
      avg_traces_per_session: 1.5,
      avg_session_duration_ms: 4500,
    },
  ]),
);

export const getSessionAnalytics = route({
  id: "getSessionAnalytics",
  method: "GET",
  path: "/sessions/analytics",
  handler: "api/sessions/get-session-analytics",
  summary: "Get session analytics",
  description:
    "Counts only traces that started in the range and match all filters, also for the number of traces and the duration of a " +
    "session. Buckets are in ascending order; empty ones are omitted. Closed UTC days are read as by `GET /traces`, and lag behind changes " +
    "by seconds.",
  access: "project",
  permission: "read",
  query: v.object({ ...analyticsRange, ...analyticsFilterQuery }),
  success: 200,
  reply: v.array(sessionBucket),
  grants: {
    rows: ["GetItem", "Query"],
    aggregates: ["Query", "BatchGetItem"],
    scores: ["Query"],
    // Versions of custom metrics.
    monitors: ["GetItem"],
  },
  searchesLake: true,
  warns: true,
  memory: 1024,
});
