import { pendingEvent } from "../../contract/events/pending-event.ts";
import type { PendingEvent } from "../../domain/event.ts";
import { instantAt } from "../../domain/instant.ts";
import type { RunOrder } from "../../domain/runs/run.ts";

/** Milliseconds that a run waits for its judge before that is announced. */
const announcedAfter = 15 * 60_000;

/**
 * Builds the event of a run whose judge does not answer: the same for all slices of the run on one day.
 *
 * @param since start of the outage, epoch milliseconds; null for none.
 * @returns null if it has not lasted for 15 minutes.
 */
export const judgeUnavailable = (
  { id, projectId, targetType, resolvedModel }: RunOrder,
  since: number | null,
  now: number,
): PendingEvent | null => {
  if (since === null || now - since < announcedAfter) return null;
  const waitingSince = instantAt(since);
  return pendingEvent(
    "judge.unavailable",
    {
      decision: [id, waitingSince.slice(0, 10)],
      projectId,
      time: instantAt(since + announcedAfter),
      page: `${targetType === "SESSION" ? "session-runs" : "runs"}/${id}`,
    },
    { run_id: id, model: resolvedModel, waiting_since: waitingSince },
  );
};
