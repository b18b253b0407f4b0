import { pendingEvent } from "../../contract/events/pending-event.ts";
import type { PendingEvent } from "../../domain/event.ts";
import { instantAt } from "../../domain/instant.ts";
import type { RunOrder } from "../../domain/runs/run.ts";

/** Milliseconds that a run waits for its judge before that is announced. */
const announcedAfter = 15 * 60_000;

/** Returns the parts of an event about a run that waits: the same for all slices of the run on one day. */
const waitingRun = ({ id, projectId, targetType, resolvedModel, monitorId }: RunOrder, since: number, at: number) => {
  const waitingSince = instantAt(since);
  return {
    event: {
      decision: [id, waitingSince.slice(0, 10)],
      projectId,
      time: instantAt(at),
      page: `${targetType === "SESSION" ? "session-runs" : "runs"}/${id}`,
    },
    fields: { run_id: id, monitor_id: monitorId, model: resolvedModel, waiting_since: waitingSince },
  };
};

/**
 * Builds the event of a run whose judge does not answer.
 *
 * @param since start of the outage, epoch milliseconds; null for none.
 * @returns null if it has not lasted for 15 minutes.
 */
export const judgeUnavailableEvent = (order: RunOrder, since: number | null, now: number): PendingEvent | null => {
  if (since === null || now - since < announcedAfter) return null;
  const { event, fields } = waitingRun(order, since, since + announcedAfter);
  return pendingEvent("judge.unavailable", event, fields);
};

/** Builds the event of a run that waits for budget. @param reason which ceiling is reached, for the user. */
export const runWaitingEvent = (order: RunOrder, reason: string, now: number): PendingEvent => {
  const { event, fields } = waitingRun(order, now, now);
  return pendingEvent("run.waiting", event, { ...fields, reason });
};
