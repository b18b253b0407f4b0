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
  v.title("SessionMetric"),
  v.examples([
    {
      name: "agent_reliability",
      description:
        "Evaluates whether the agent was reliable throughout a session. The largest risk of each trace counts, and of the traces the riskiest ones (max-compose, top-k tail).",
      category: "session",
    },
  ]),
);

export const listSessionMetrics = route({
  id: "listSessionMetrics",
  method: "GET",
  path: "/evaluations/session-metrics",
  handler: "api/metrics/list-session-metrics",
  summary: "List session metrics",
  access: "project",
  permission: "read",
  success: 200,
  reply: v.array(metric),
  grants: { monitors: ["Query"] },
});
