import { succeeded } from "../domain/monitors/attempts.ts";
import { afterFiring, withRun, type Monitor } from "../domain/monitors/monitor.ts";
import { unrepeated } from "../domain/repeat.ts";
import type { Run } from "../domain/runs/run.ts";
import { faultFields, logLine } from "../log.ts";
import type { FiringMessage } from "../queue/firing-message.ts";
import type { Monitors } from "../store/monitors/monitors.ts";
import { firingAttempts, withoutInstant } from "./attempt.ts";
import { carryingOut, type CarryOutParts, type Outcome } from "./carry-out.ts";
import { chosenOf } from "./snapshot.ts";

export interface FiringParts extends CarryOutParts {
  readonly monitors: Monitors;
  /** Whether a project is there and not being deleted, strongly read. */
  readonly isAlive: (project: string) => Promise<boolean>;
}

/** A monitor once an instant of it has come to something. */
const afterOutcome = (monitor: Monitor, { firing, run }: Outcome, now: number): Monitor => {
  const noted = run === null ? monitor : withRun(monitor, run, firing.watermark);
  const attempts = succeeded(noted.attempts, firing.scheduledAt, now);
  return attempts === noted.attempts ? noted : { ...noted, attempts };
};

/** A monitor once an outcome is met that somebody has left unnoted: a failure proves nothing of what was tried before it. */
const afterKnown = (monitor: Monitor, outcome: Outcome, now: number): Monitor =>
  outcome.firing.outcome === "FAILED"
    ? withoutInstant(monitor, outcome.firing.scheduledAt)
    : afterOutcome(monitor, outcome, now);

/**
 * The firing of a monitor's scheduled instants: one run for each, or the record of why there is none, however often, late
 * or at once an instant is delivered and wherever a worker dies. The run's id follows from monitor and instant. What always
 * fails is given up, and the monitor goes on with its next instant.
 */
export const monitorFiring = (parts: FiringParts) => {
  const { monitors, firings, start, runOf, isAlive, now } = parts;
  const { carryOut, giveUp, outcomeOf, snapshots } = carryingOut(parts);
  const attempts = firingAttempts(monitors, now);

  /** The monitor goes on: its next instant lies behind this one. */
  const note = async (
    { project, monitor: id, generation, scheduledAt }: FiringMessage,
    change: (current: Monitor) => Monitor,
  ): Promise<void> => {
    await monitors.change(project, id, (current) => {
      const noted = change(current);
      return current.generation === generation ? afterFiring(noted, scheduledAt) : noted;
    });
  };

  return {
    /**
     * Deals with one delivery. A monitor that is gone, paused or was rescheduled since does not fire, nor one whose project is
     * being deleted.
     *
     * @throws what an attempt throws that is not the last: the message is to come again.
     */
    fire: async (message: FiringMessage): Promise<void> => {
      const { project, monitor: id, generation, scheduledAt } = message;
      const [stored, alive] = await Promise.all([monitors.get(project, id), isAlive(project)]);
      if (stored === null || stored.monitor.status !== "ACTIVE" || stored.monitor.generation !== generation) return;
      if (!alive) return;
      const known = await firings.get(project, id, scheduledAt);
      const outcome = known === null ? null : await outcomeOf(project, known);
      if (outcome !== null) return await note(message, (current) => afterKnown(current, outcome, now()));
      const attempt = await attempts.make(message, (monitor) => carryOut(message, monitor, known));
      if (attempt.kind === "another's") return;
      if (attempt.kind === "done")
        return await note(message, (current) => afterOutcome(current, attempt.result, now()));
      logLine("firing_given_up", { monitor_id: id, ...(attempt.failure !== null && faultFields(attempt.failure)) });
      await giveUp(message, attempt.reason);
      await note(message, (current) => withoutInstant(current, scheduledAt));
    },

    /**
     * Runs a monitor now, whatever its status and whether or not anything changed; its schedule stays as it is.
     *
     * @returns null when there is no such monitor.
     * @throws Refusal `invalid` when the run would be too large.
     */
    trigger: async (project: string, id: string, runId: string, repeat = unrepeated): Promise<Run | null> => {
      const stored = await monitors.get(project, id);
      if (stored === null) return null;
      const { monitor } = stored;
      const [there, snapshot] = await Promise.all([runOf(project, runId), snapshots.take(monitor)]);
      // What a run has seen that an earlier request made is not what this one sees.
      const watermark = there === null ? await snapshots.watermark(monitor, snapshot) : null;
      const run = await start({ id: runId, monitor, targets: chosenOf(monitor, snapshot), repeat });
      await monitors.change(project, id, (current) => withRun(current, run, watermark));
      return run;
    },
  };
};
