import * as v from "valibot";
import { analyticsRange } from "../analytics-range.ts";
import { replyInstant } from "../fields.ts";
import { route } from "../route.ts";
import { traceChoiceQuery } from "../traces/filters.ts";

const sessionBucket = v.pipe(
  v.object({
    bucket: replyInstant,
    session_count: v.pipe(v.number(), v.integer()),
    avg_traces_per_session: v.number(),
    avg_session_duration_ms: v.nullable(v.number()),
  }),
  v.title("SessionBucket"),
  v.description(
    "Sessions by the first of their traces in the range; a session's duration is the sum of its traces' latencies.",
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
  summary: "Tell sessions over time",
  description:
    "Only the traces in the range count that every filter matches, for the number of a session's traces and its duration too. " +
    "Ascending, without empty buckets.",
  access: "project",
  permission: "read",
  query: v.object({ ...analyticsRange, ...traceChoiceQuery }),
  success: 200,
  reply: v.array(sessionBucket),
  grants: { rows: ["GetItem", "Query"], aggregates: ["Query", "BatchGetItem"], scores: ["Query"] },
  memory: 1024,
});
