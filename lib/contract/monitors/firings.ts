import * as v from "valibot";
import { firingOutcomes } from "../../domain/monitors/firing.ts";
import { route } from "../route.ts";
import { evalRun } from "../runs/run.ts";
import { oneOf, page, paging, replyInstant, uuid } from "../schema/fields.ts";
import { monitorParams } from "./monitors.ts";

const firing = v.pipe(
  v.object({
    scheduled_at: replyInstant,
    fired_at: replyInstant,
    outcome: oneOf(firingOutcomes),
    run_id: v.nullable(uuid),
    reason: v.nullable(v.string()),
  }),
  v.title("Firing"),
  v.description("The outcome of one scheduled time of a monitor. `reason` tells why there is no run."),
  v.examples([
    {
      scheduled_at: "2026-11-22T09:01:00.000000+00:00",
      fired_at: "2026-11-22T09:01:01.250000+00:00",
      outcome: "SKIPPED_UNCHANGED",
      run_id: null,
      reason: "Nothing that matches has arrived or changed since the previous run.",
    },
  ]),
);

export type FiringReply = v.InferOutput<typeof firing>;

export const listMonitorRuns = route({
  id: "listMonitorRuns",
  method: "GET",
  path: "/evaluations/monitors/{monitor_id}/runs",
  handler: "api/monitors/list-monitor-runs",
  summary: "List runs of a monitor",
  description:
    "Returns the runs that the monitor created, newest first. `total` may lag by seconds and is exact on the last page.",
  access: "project",
  permission: "read",
  params: monitorParams,
  query: v.object(paging),
  success: 200,
  reply: page(evalRun),
  // Those of the lists of runs, so that they have one role: an account has room for 1,000.
  grants: { monitors: ["GetItem"], runs: ["Query", "BatchGetItem"], aggregates: ["Query"] },
});

export const listFirings = route({
  id: "listFirings",
  method: "GET",
  path: "/evaluations/monitors/{monitor_id}/firings",
  handler: "api/monitors/list-firings",
  summary: "List firings of a monitor",
  description:
    "Returns the scheduled times of the last 30 days, newest first, each with its run or the reason why there is none.",
  access: "project",
  permission: "read",
  params: monitorParams,
  query: v.object(paging),
  success: 200,
  reply: page(firing),
  grants: { monitors: ["GetItem", "Query"], aggregates: ["Query"] },
});
