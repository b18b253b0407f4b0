import { pendingEvent } from "../contract/events/pending-event.ts";
import type { PendingEvent } from "../domain/event.ts";
import type { AlertRule } from "../domain/alerts/rule.ts";
import type { unreadScoreReader } from "../store/alerts/unread-scores.ts";
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

/** Returns a function that builds the events of low scores whose traces could not be read before. */
export const unreadScoreEvents =
  (read: ReturnType<typeof unreadScoreReader>) =>
  async (rule: AlertRule, ids: readonly string[]): Promise<{ events: PendingEvent[]; unread: ReadonlySet<string> }> => {
    const { lowScores, unread } = await read(rule, ids);
    const events = lowScores.map(({ score, value }) =>
      lowScoreEvent({ rule, score, target: { type: "TRACE", id: score.trace_id }, value }),
    );
    return { events, unread };
  };
