import { pendingEvent } from "../contract/events/pending-event.ts";
import type { PendingEvent } from "../domain/event.ts";
import { isTerminal, type Run } from "../domain/runs/run.ts";

/** Builds the event of a run that has ended; null for an open run. */
export const runEnded = (run: Run): PendingEvent | null => {
  const { order, status, completedAt, usage } = run;
  if (!isTerminal(status) || completedAt === null) return null;
  const { id, projectId, targetType } = order;
  return pendingEvent(
    status === "FAILED" ? "run.failed" : "run.completed",
    {
      decision: [id],
      projectId,
      time: completedAt,
      page: `${targetType === "SESSION" ? "session-runs" : "runs"}/${id}`,
    },
    {
      run_id: id,
      run_name: order.name,
      monitor_id: order.monitorId,
      target_type: targetType,
      total_targets: order.total,
      missing_count: run.missing,
      scored_count: run.scored,
      failed_count: run.failed,
      cost_usd: usage.cost,
      created_at: order.createdAt,
    },
  );
};
