import * as v from "valibot";
import { route } from "../route.ts";

const metric = v.pipe(
  v.object({
    name: v.string(),
    description: v.string(),
    category: v.string(),
    version: v.optional(
      v.pipe(v.number(), v.integer(), v.description("Newest version of a custom metric; absent for built-in metrics.")),
    ),
  }),
  v.title("Metric"),
  v.examples([
    {
      name: "task_completion",
      description: "Evaluates whether the agent reached the objective that the user set.",
      category: "trace",
    },
  ]),
);

export const listTraceMetrics = route({
  id: "listTraceMetrics",
  method: "GET",
  path: "/evaluations/trace-metrics",
  handler: "api/metrics/list-trace-metrics",
  summary: "List trace metrics",
  access: "project",
  permission: "read",
  success: 200,
  reply: v.array(metric),
  grants: { monitors: ["Query"] },
});
