import { derivedUuid } from "../domain/access/identity.ts";
import { instantAt } from "../domain/instant.ts";
import type { PendingEvent } from "../domain/event.ts";
import type { Firing } from "../domain/monitors/firing.ts";
import type { Monitor } from "../domain/monitors/monitor.ts";
import { Refusal } from "../domain/refusal.ts";
import type { IdempotencyCheck } from "../domain/idempotency-check.ts";
import type { Run } from "../domain/runs/run.ts";
import type { MatchingTarget } from "../evaluation/start/matching-targets.ts";
import type { FiringMessage } from "../queue/firing-message.ts";
import type { Firings } from "../store/monitors/firings.ts";
import { monitorFiredEvent, monitorNotFiredEvent } from "./firing-events.ts";
import { targetsToJudge, monitorSnapshots, type Snapshot, type SnapshotDependencies } from "./snapshot.ts";

/** A request to create a run of a monitor. */
interface MonitorRunRequest {
  readonly id: string;
  readonly monitor: Monitor;
  readonly targets: readonly MatchingTarget[];
  /** Event that is announced when the run is created; absent for none. */
  readonly event?: PendingEvent;
  /** Idempotency check of the API request that triggers the run; absent for scheduled runs. */
  readonly idempotency?: IdempotencyCheck;
}

export interface FiringExecutionDependencies extends SnapshotDependencies {
  readonly firings: Firings;
  /** Creates a run, at most once per run id. @throws Refusal `invalid` when the run would have too many targets. */
  readonly start: (run: MonitorRunRequest) => Promise<Run>;
  /** Returns a created run by id; null if it does not exist. */
  readonly runOf: (project: string, run: string) => Promise<Run | null>;
}

/** The stored decision about a monitor's scheduled instant and the run that resulted. */
export interface FiringOutcome {
  readonly firing: Firing;
  /** Null if the firing has no run; the firing's `reason` says why. */
  readonly run: Run | null;
  /** Metrics of the monitor, if the run could not start because some of them do not exist. */
  readonly metricsWithUnknown?: readonly string[];
}

/** A firing decision and the snapshot it is based on; null snapshot if another worker made the decision. */
interface Decision {
  readonly firing: Firing;
  readonly snapshot: Snapshot | null;
}

/** Returns the messages of an `invalid` refusal (a run that would be too large). @throws any other error unchanged. */
const refusalMessage = (error: unknown): string => {
  if (!(error instanceof Refusal) || error.reason.kind !== "invalid") throw error;
  return error.reason.violations.map(({ msg }) => msg).join(" ");
};

const hasUnknownMetric = (error: unknown): boolean =>
  error instanceof Refusal &&
  error.reason.kind === "invalid" &&
  error.reason.violations.some(({ type }) => type === "unknown_metric");

const unchangedReason = "Nothing that matches has arrived or changed since the previous run.";

const noRun = { runId: null, watermark: null } as const;

/**
 * Executes scheduled instants of monitors: each ends in a run or in a stored reason why there is none. The decision is
 * stored under the instant before any action, so that a second worker carries out the same decision.
 */
export const firingExecution = (dependencies: FiringExecutionDependencies) => {
  const { firings, start, runOf, now } = dependencies;
  const snapshots = monitorSnapshots(dependencies);

  const decide = async (monitor: Monitor, scheduledAt: number): Promise<Decision> => {
    const { projectId, id, settings } = monitor;
    const firingBase = { scheduledAt, decidedAt: instantAt(now()) };
    const withoutRun = async (outcome: "FAILED" | "SKIPPED_UNCHANGED", reason: string): Promise<Decision> => {
      const proposedFiring: Firing = { ...firingBase, ...noRun, outcome, reason };
      const event = monitorNotFiredEvent(monitor, proposedFiring);
      return { firing: await firings.decide(projectId, id, proposedFiring, event), snapshot: null };
    };
    let snapshot: Snapshot;
    try {
      snapshot = await snapshots.take(monitor);
    } catch (error) {
      return await withoutRun("FAILED", refusalMessage(error));
    }
    if (settings.only_if_changed && monitor.watermark !== null && snapshot.changed.length === 0)
      return await withoutRun("SKIPPED_UNCHANGED", unchangedReason);
    const runId = derivedUuid("firing", projectId, id, String(scheduledAt));
    const watermark = await snapshots.watermark(monitor, snapshot);
    const proposedFiring: Firing = { ...firingBase, outcome: "RUN", runId, reason: null, watermark };
    const firing = await firings.decide(projectId, id, proposedFiring);
    return { firing, snapshot: firing === proposedFiring ? snapshot : null };
  };

  const runFor = async (monitor: Monitor, id: string, { firing, snapshot }: Decision): Promise<Run> => {
    const existingRun = await runOf(monitor.projectId, id);
    if (existingRun !== null) return existingRun;
    const targets =
      snapshot === null
        ? await snapshots.targetsOfDecision(monitor, firing.watermark)
        : targetsToJudge(monitor, snapshot);
    return await start({ id, monitor, targets, event: monitorFiredEvent(monitor, firing, id, targets.length) });
  };

  const fail = async (
    { project, monitor: id, scheduledAt }: FiringMessage,
    monitor: Monitor,
    existingFiring: Firing | null,
    reason: string,
  ): Promise<Firing> => {
    const firingBase = existingFiring ?? { scheduledAt, decidedAt: instantAt(now()) };
    const failedFiring: Firing = { ...firingBase, ...noRun, outcome: "FAILED", reason };
    const event = monitorNotFiredEvent(monitor, failedFiring);
    if (existingFiring === null) return await firings.decide(project, id, failedFiring, event);
    if (existingFiring.runId === null) return existingFiring;
    const isFailed = await firings.fail(project, id, existingFiring.runId, failedFiring, event);
    return isFailed ? failedFiring : existingFiring;
  };

  return {
    snapshots,

    /** Returns the outcome of a stored decision; null if its run has not been created yet. */
    outcomeOf: async (project: string, firing: Firing): Promise<FiringOutcome | null> => {
      if (firing.runId === null) return { firing, run: null };
      const run = await runOf(project, firing.runId);
      return run === null ? null : { firing, run };
    },

    /** Decides about an instant unless a decision is stored, then creates the run that was decided on. */
    execute: async (
      message: FiringMessage,
      monitor: Monitor,
      existingFiring: Firing | null,
    ): Promise<FiringOutcome> => {
      const decision =
        existingFiring === null
          ? await decide(monitor, message.scheduledAt)
          : { firing: existingFiring, snapshot: null };
      const { firing } = decision;
      if (firing.runId === null) return { firing, run: null };
      try {
        return { firing, run: await runFor(monitor, firing.runId, decision) };
      } catch (error) {
        const failedFiring = await fail(message, monitor, firing, refusalMessage(error));
        return {
          firing: failedFiring,
          run: null,
          ...(hasUnknownMetric(error) && { metricsWithUnknown: monitor.settings.metrics }),
        };
      }
    },

    /** Records that an instant failed and why. An earlier decision stays in force if its run exists by now. */
    giveUp: async (message: FiringMessage, monitor: Monitor, reason: string): Promise<void> => {
      const { project, scheduledAt } = message;
      await fail(message, monitor, await firings.get(project, monitor.id, scheduledAt), reason);
    },
  };
};
