import * as v from "valibot";
import { integer } from "../schema/fields.ts";
import { route } from "../route.ts";

const metricFields = {
  name: v.string(),
  description: v.string(),
  category: v.string(),
  version: v.optional(
    v.pipe(integer, v.description("Newest version of a custom metric; absent for built-in metrics.")),
  ),
};

export const listTraceMetrics = route({
  id: "listTraceMetrics",
  method: "GET",
  path: "/evaluations/trace-metrics",
  handler: "api/metrics/list-trace-metrics",
  summary: "List trace metrics",
  access: "project",
  permission: "read",
  success: 200,
  reply: v.array(
    v.pipe(
      v.object(metricFields),
      v.title("Metric"),
      v.examples([
        {
          name: "task_completion",
          description: "Evaluates whether the agent reached the objective that the user set.",
          category: "trace",
        },
      ]),
    ),
  ),
  // Those of `getRunTemplate`, so that both have one role: an account has room for 1,000.
  grants: { monitors: ["GetItem", "BatchGetItem", "Query"] },
});

export const listSessionMetrics = route({
  ...listTraceMetrics,
  id: "listSessionMetrics",
  path: "/evaluations/session-metrics",
  handler: "api/metrics/list-session-metrics",
  summary: "List session metrics",
  reply: v.array(
    v.pipe(
      v.object(metricFields),
      v.title("SessionMetric"),
      v.examples([
        {
          name: "agent_reliability",
          description:
            "Evaluates whether the agent was reliable throughout a session. The largest risk of each trace counts, and of the traces the riskiest ones (max-compose, top-k tail).",
          category: "session",
        },
      ]),
    ),
  ),
});
