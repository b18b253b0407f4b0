import { pendingEvent } from "../../contract/events/pending-event.ts";
import { dollarsOf, monthOf } from "../../domain/runs/budget.ts";
import { instantAt } from "../../domain/instant.ts";
import type { ThresholdEvent } from "../../store/spend/thresholds.ts";

/** Builds the event of a reached part of a monthly ceiling, once for a budget and its ceiling. */
export const thresholdEvent: ThresholdEvent = ({ budget, ceiling, project, percent, limit, used }, now) =>
  pendingEvent(
    "spend.threshold_reached",
    { decision: [budget, String(limit), String(percent)], projectId: project, time: instantAt(now), page: "settings" },
    { ceiling, month: monthOf(now), percent, ceiling_usd: dollarsOf(limit), used_usd: dollarsOf(used) },
  );
