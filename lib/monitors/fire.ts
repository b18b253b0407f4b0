import { afterSuccess } from "../domain/monitors/attempts.ts";
import { afterFiring, pausedWithoutMetrics, withRun, type Monitor } from "../domain/monitors/monitor.ts";
import { noIdempotency } from "../domain/idempotency-check.ts";
import type { Run } from "../domain/runs/run.ts";
import { faultFields, logLine } from "../log.ts";
import { withLogContext } from "../log-context.ts";
import type { FiringMessage } from "../queue/firing-message.ts";
import type { MonitorSettings } from "../domain/monitors/fields.ts";
import type { Monitors } from "../store/monitors/monitors.ts";
import { firingAttempts, afterGivingUpInstant } from "./firing-attempts.ts";
import { firingExecution, type FiringExecutionDependencies, type FiringOutcome } from "./execute-firing.ts";
import { targetsToJudge } from "./snapshot.ts";

export interface FiringDependencies extends FiringExecutionDependencies {
  readonly monitors: Monitors;
  /** Returns the organization of a project by a strongly consistent read; null if there is none or it is being deleted. */
  readonly organizationOf: (project: string) => Promise<string | null>;
}

/** A request to run a monitor now. */
interface TriggerRequest {
  readonly project: string;
  /** Id of the monitor. */
  readonly id: string;
  readonly runId: string;
  /** Ceiling of the run in US dollars, in place of the monitor's. */
  readonly maxCostUsd: number | undefined;
}

/** Returns the monitor after an instant's outcome: its last run, watermark and attempts; paused if it names an unknown metric. */
const afterOutcome = (
  monitor: Monitor,
  { firing, run, metricsWithUnknown: metrics }: FiringOutcome,
  now: number,
): Monitor => {
  const updated = run === null ? monitor : withRun(monitor, run, firing.watermark);
  const attempts = afterSuccess(updated.attempts, firing.scheduledAt, now);
  const withAttempts = attempts === updated.attempts ? updated : { ...updated, attempts };
  return metrics === undefined
    ? withAttempts
    : pausedWithoutMetrics(withAttempts, { metrics, cause: firing.reason ?? "" }, now);
};

/** Returns the monitor after an outcome that an earlier worker stored but did not record on the monitor. A failure does not reset the attempts before it. */
const afterExistingOutcome = (monitor: Monitor, outcome: FiringOutcome, now: number): Monitor =>
  outcome.firing.outcome === "FAILED"
    ? afterGivingUpInstant(monitor, outcome.firing.scheduledAt)
    : afterOutcome(monitor, outcome, now);

/**
 * Fires the scheduled instants of monitors: exactly one run per instant, or a stored reason why there is none, even when an
 * instant is delivered late, twice or concurrently, or a worker dies. The run's id is derived from monitor and instant. An
 * instant that keeps failing is given up, and the monitor continues with its next instant.
 */
export const monitorFiring = (dependencies: FiringDependencies) => {
  const { monitors, firings, start, runOf, organizationOf, now } = dependencies;
  const { execute, giveUp, outcomeOf, snapshots } = firingExecution(dependencies);
  const attempts = firingAttempts(monitors, now);

  /** Applies a change to the monitor and moves its next instant past the fired one, unless it was rescheduled meanwhile. */
  const recordAndAdvance = async (
    { project, monitor: id, generation, scheduledAt }: FiringMessage,
    change: (current: Monitor) => Monitor,
  ): Promise<void> => {
    await monitors.change(project, id, (current) => {
      const updated = change(current);
      return current.generation === generation ? afterFiring(updated, scheduledAt) : updated;
    });
  };

  const fireActive = async (message: FiringMessage, storedMonitor: Monitor): Promise<void> => {
    const { project, monitor: id, scheduledAt } = message;
    const existingFiring = await firings.get(project, id, scheduledAt);
    const outcome = existingFiring === null ? null : await outcomeOf(project, existingFiring);
    if (outcome !== null)
      return await recordAndAdvance(message, (current) => afterExistingOutcome(current, outcome, now()));
    const attempt = await attempts.run(message, (monitor) => execute(message, monitor, existingFiring));
    if (attempt.kind === "in progress") return;
    if (attempt.kind === "done")
      return await recordAndAdvance(message, (current) => afterOutcome(current, attempt.result, now()));
    logLine("firing_given_up", attempt.failure === null ? {} : faultFields(attempt.failure));
    await giveUp(message, storedMonitor, attempt.reason);
    await recordAndAdvance(message, (current) => afterGivingUpInstant(current, scheduledAt));
  };

  return {
    /**
     * Processes one delivery of a firing message. A monitor that is deleted, paused or rescheduled since does not fire, nor
     * one whose project is being deleted.
     *
     * @throws the error of an attempt that is not the last, so that SQS delivers the message again.
     */
    fire: async (message: FiringMessage): Promise<void> => {
      const { project, monitor: id, generation } = message;
      const [storedMonitor, organization] = await Promise.all([monitors.get(project, id), organizationOf(project)]);
      if (
        storedMonitor === null ||
        storedMonitor.monitor.status !== "ACTIVE" ||
        storedMonitor.monitor.generation !== generation
      )
        return;
      if (organization === null) return;
      const ids = { project_id: project, organization_id: organization, monitor_id: id };
      await withLogContext(ids, () => fireActive(message, storedMonitor.monitor));
    },

    /**
     * Returns a monitor with the targets that `trigger` would judge now, before sampling, and stores nothing; null if the monitor does not
     * exist.
     */
    preview: async (project: string, id: string) => {
      const storedMonitor = await monitors.get(project, id);
      if (storedMonitor === null) return null;
      const { monitor } = storedMonitor;
      return { monitor, targets: targetsToJudge(monitor, await snapshots.take(monitor)) };
    },

    /**
     * Runs a monitor now, whatever its status and even if nothing changed; its schedule is not affected.
     *
     * @returns the run; null if the monitor does not exist.
     * @throws Refusal `invalid` when the run would have too many targets.
     */
    trigger: async (
      { project, id, runId, maxCostUsd }: TriggerRequest,
      idempotency = noIdempotency,
    ): Promise<Run | null> => {
      const storedMonitor = await monitors.get(project, id);
      if (storedMonitor === null) return null;
      const { monitor: stored } = storedMonitor;
      // The type refuses a misspelt setting, which a spread would accept.
      const ceiling: Partial<MonitorSettings> = maxCostUsd === undefined ? {} : { max_cost_usd: maxCostUsd };
      const monitor = { ...stored, settings: { ...stored.settings, ...ceiling } };
      const [existingRun, snapshot] = await Promise.all([runOf(project, runId), snapshots.take(monitor)]);
      // An existing run of an earlier request judged an earlier snapshot: the watermark must not advance to this one.
      const watermark = existingRun === null ? await snapshots.watermark(monitor, snapshot) : null;
      const run = await start({ id: runId, monitor, targets: targetsToJudge(monitor, snapshot), idempotency });
      await monitors.change(project, id, (current) => withRun(current, run, watermark));
      return run;
    },
  };
};
