import { pendingEvent } from "../contract/events/pending-event.ts";
import type { PendingEvent } from "../domain/event.ts";
import type { LowScore } from "../stream/alert-changes.ts";

/** Builds the event of a score below the value of a rule; once for each time that an update of the score brought it there. */
export const lowScoreEvent = ({ rule, score, target, value }: LowScore): PendingEvent => {
  const { id, projectId, settings } = rule;
  const isTrace = target.type === "TRACE";
  return pendingEvent(
    "score.below_threshold",
    {
      decision: [id, score.id, score.updated_at],
      projectId,
      time: score.updated_at,
      page: `${isTrace ? "traces" : "sessions"}/${encodeURIComponent(target.id)}`,
    },
    {
      alert_id: id,
      alert_name: settings.name,
      severity: settings.severity,
      metric_name: score.name,
      below: settings.below,
      value,
      score_id: score.id,
      target_type: target.type,
      target_id: target.id,
      run_id: score.eval_run_id,
    },
  );
};
