import { derivedUuid } from "../domain/access/identity.ts";
import { instantAt } from "../domain/instant.ts";
import type { Firing } from "../domain/monitors/firing.ts";
import type { Monitor } from "../domain/monitors/monitor.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Repeat } from "../domain/repeat.ts";
import type { Run } from "../domain/runs/run.ts";
import type { MatchingTarget } from "../evaluation/start/matching-targets.ts";
import type { FiringMessage } from "../queue/firing-message.ts";
import type { Firings } from "../store/monitors/firings.ts";
import { chosenOf, monitorSnapshots, type Snapshot, type SnapshotParts } from "./snapshot.ts";

/** A run as a monitor asks for it. */
interface MonitorRun {
  readonly id: string;
  readonly monitor: Monitor;
  readonly targets: readonly MatchingTarget[];
  /** Of the request that asks for it, where one does. */
  readonly repeat?: Repeat;
}

export interface CarryOutParts extends SnapshotParts {
  readonly firings: Firings;
  /** Creates a run, once for an id. @throws Refusal `invalid` when it would be too large. */
  readonly start: (run: MonitorRun) => Promise<Run>;
  /** A run that was created; null when there is none. */
  readonly runOf: (project: string, run: string) => Promise<Run | null>;
}

/** What was decided about an instant, and what has come of it. */
export interface Outcome {
  readonly firing: Firing;
  /** Null when there is none: the firing's record says why. */
  readonly run: Run | null;
}

/** A decision, and the snapshot that it was made with, where this worker has made it. */
interface Decision {
  readonly firing: Firing;
  readonly snapshot: Snapshot | null;
}

/** Why there can be no run of so much. @throws the error when it says anything else. */
const tooMuch = (error: unknown): string => {
  if (!(error instanceof Refusal) || error.reason.kind !== "invalid") throw error;
  return error.reason.violations.map(({ msg }) => msg).join(" ");
};

const unchanged = "Nothing that matches has arrived or changed since the previous run.";

const noRun = { runId: null, watermark: null } as const;

/**
 * Carries out what a scheduled instant comes to: a run, or the record of why there is none. The decision is stored before
 * anything is done about it, under the instant: whoever comes second does the same.
 */
export const carryingOut = (parts: CarryOutParts) => {
  const { firings, start, runOf, now } = parts;
  const snapshots = monitorSnapshots(parts);

  const decide = async (monitor: Monitor, scheduledAt: number): Promise<Decision> => {
    const { projectId, id, settings } = monitor;
    const decided = { scheduledAt, decidedAt: instantAt(now()) };
    const withoutRun = async (outcome: "FAILED" | "SKIPPED_UNCHANGED", reason: string): Promise<Decision> => {
      const firing = await firings.decide(projectId, id, { ...decided, ...noRun, outcome, reason });
      return { firing, snapshot: null };
    };
    let snapshot: Snapshot;
    try {
      snapshot = await snapshots.take(monitor);
    } catch (error) {
      return await withoutRun("FAILED", tooMuch(error));
    }
    if (settings.onlyIfChanged && monitor.watermark !== null && snapshot.changed.length === 0)
      return await withoutRun("SKIPPED_UNCHANGED", unchanged);
    const runId = derivedUuid("firing", projectId, id, String(scheduledAt));
    const watermark = await snapshots.watermark(monitor, snapshot);
    const mine: Firing = { ...decided, outcome: "RUN", runId, reason: null, watermark };
    const firing = await firings.decide(projectId, id, mine);
    return { firing, snapshot: firing === mine ? snapshot : null };
  };

  const runFor = async (monitor: Monitor, id: string, { firing, snapshot }: Decision): Promise<Run> => {
    const there = await runOf(monitor.projectId, id);
    if (there !== null) return there;
    const targets =
      snapshot === null ? await snapshots.targetsOf(monitor, firing.watermark) : chosenOf(monitor, snapshot);
    return await start({ id, monitor, targets });
  };

  const fail = async (
    { project, monitor, scheduledAt }: FiringMessage,
    known: Firing | null,
    reason: string,
  ): Promise<Firing> => {
    const decided = known ?? { scheduledAt, decidedAt: instantAt(now()) };
    const failed: Firing = { ...decided, ...noRun, outcome: "FAILED", reason };
    if (known === null) return await firings.decide(project, monitor, failed);
    if (known.runId === null) return known;
    return (await firings.fail(project, monitor, known.runId, failed)) ? failed : known;
  };

  return {
    snapshots,

    /** What is known to have come of a decision; null when something is left to do about it. */
    outcomeOf: async (project: string, firing: Firing): Promise<Outcome | null> => {
      if (firing.runId === null) return { firing, run: null };
      const run = await runOf(project, firing.runId);
      return run === null ? null : { firing, run };
    },

    /** Decides about an instant, where nobody has, and does what was decided. */
    carryOut: async (message: FiringMessage, monitor: Monitor, known: Firing | null): Promise<Outcome> => {
      const decision = known === null ? await decide(monitor, message.scheduledAt) : { firing: known, snapshot: null };
      const { firing } = decision;
      if (firing.runId === null) return { firing, run: null };
      try {
        return { firing, run: await runFor(monitor, firing.runId, decision) };
      } catch (error) {
        return { firing: await fail(message, firing, tooMuch(error)), run: null };
      }
    },

    /** Says that an instant has no run, and why. What was decided stands, where its run is there after all. */
    giveUp: async (message: FiringMessage, reason: string): Promise<void> => {
      const { project, monitor, scheduledAt } = message;
      await fail(message, await firings.get(project, monitor, scheduledAt), reason);
    },
  };
};
