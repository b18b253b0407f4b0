import type { Firing } from "../domain/monitors/firing.ts";
import { derivedUuid } from "../domain/access/identity.ts";
import { instantAt } from "../domain/instant.ts";
import { afterFiring, withRun, type Monitor } from "../domain/monitors/monitor.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Run } from "../domain/runs/run.ts";
import type { MatchingTarget } from "../evaluation/start/matching-targets.ts";
import { changedSince, watermarkOf, type Watermark } from "../domain/monitors/watermark.ts";
import type { FiringMessage } from "../queue/firing-message.ts";
import type { Firings } from "../store/monitors/firings.ts";
import type { Monitors } from "../store/monitors/monitors.ts";

/** A run as a monitor asks for it. */
interface MonitorRun {
  readonly id: string;
  readonly monitor: Monitor;
  readonly targets: readonly MatchingTarget[];
}

export interface FiringParts {
  readonly monitors: Monitors;
  readonly firings: Firings;
  /** All targets that match, strongly read. @throws Refusal `invalid` when there are too many to read. */
  readonly matching: (monitor: Monitor) => Promise<readonly MatchingTarget[]>;
  /** Creates a run, once for an id. @throws Refusal `invalid` when it would be too large. */
  readonly start: (run: MonitorRun) => Promise<Run>;
  /** A run that was created; null when there is none. */
  readonly runOf: (project: string, run: string) => Promise<Run | null>;
  /** Whether a project is there and not being deleted, strongly read. */
  readonly isAlive: (project: string) => Promise<boolean>;
  readonly now: () => number;
}

/** The targets of a monitor's next run, all that match now, and how far this look at them sees. */
interface Snapshot {
  readonly chosen: readonly MatchingTarget[];
  readonly changed: boolean;
  readonly watermark: Watermark;
}

const snapshotOf = async (parts: FiringParts, monitor: Monitor): Promise<Snapshot> => {
  const at = parts.now();
  const all = await parts.matching(monitor);
  const changed = changedSince(all, monitor.watermark);
  return {
    chosen: monitor.settings.scope === "changed" ? changed : all,
    changed: monitor.watermark === null || changed.length > 0,
    watermark: watermarkOf(all, at),
  };
};

/** Why there can be no run of so much. @throws the error when it says anything else. */
const tooMuch = (error: unknown): string => {
  if (!(error instanceof Refusal) || error.reason.kind !== "invalid") throw error;
  return error.reason.violations.map(({ msg }) => msg).join(" ");
};

const unchanged = "Nothing that matches has arrived or changed since the previous run.";

/**
 * The firing of a monitor's scheduled instants: one run for each, or the record of why there is none, however often, late
 * or at once an instant is delivered and wherever a worker dies.
 *
 * The decision is stored before anything is done about it, under the instant: whoever comes second does the same. The
 * run's id follows from monitor and instant.
 */
export const monitorFiring = (parts: FiringParts) => {
  const { monitors, firings, start, runOf, isAlive, now } = parts;

  const decide = async (monitor: Monitor, scheduledAt: number): Promise<Firing> => {
    const decided = { scheduledAt, decidedAt: instantAt(now()) };
    try {
      const { changed, watermark } = await snapshotOf(parts, monitor);
      if (monitor.settings.onlyIfChanged && !changed) {
        return { ...decided, outcome: "SKIPPED_UNCHANGED", runId: null, reason: unchanged, watermark: null };
      }
      const runId = derivedUuid("firing", monitor.projectId, monitor.id, String(scheduledAt));
      return { ...decided, outcome: "RUN", runId, reason: null, watermark };
    } catch (error) {
      return { ...decided, outcome: "FAILED", runId: null, reason: tooMuch(error), watermark: null };
    }
  };

  const runFor = async (monitor: Monitor, id: string): Promise<Run> => {
    const there = await runOf(monitor.projectId, id);
    if (there !== null) return there;
    const { chosen } = await snapshotOf(parts, monitor);
    return await start({ id, monitor, targets: chosen });
  };

  /** The run of a firing; null when there is none, the firing's record says why. */
  const carryOut = async (monitor: Monitor, firing: Firing): Promise<Run | null> => {
    if (firing.runId === null) return null;
    try {
      return await runFor(monitor, firing.runId);
    } catch (error) {
      const failed = { ...firing, outcome: "FAILED" as const, runId: null, reason: tooMuch(error), watermark: null };
      await firings.replace(monitor.projectId, monitor.id, failed);
      return null;
    }
  };

  return {
    /** Deals with one delivery. A monitor that is gone, paused or was rescheduled since does not fire, nor one whose project is being deleted. */
    fire: async ({ project, monitor: id, generation, scheduledAt }: FiringMessage): Promise<void> => {
      const [stored, alive] = await Promise.all([monitors.get(project, id), isAlive(project)]);
      if (stored === null || stored.monitor.status !== "ACTIVE" || stored.monitor.generation !== generation) return;
      if (!alive) return;
      const { monitor } = stored;
      const known = await firings.get(project, id, scheduledAt);
      const firing = known ?? (await firings.decide(project, id, await decide(monitor, scheduledAt)));
      const run = await carryOut(monitor, firing);
      await monitors.change(project, id, (current) => {
        const noted = run === null || firing.watermark === null ? current : withRun(current, run, firing.watermark);
        return current.generation === generation ? afterFiring(noted, scheduledAt) : noted;
      });
    },

    /**
     * Runs a monitor now, whatever its status and whether or not anything changed; its schedule stays as it is.
     *
     * @returns null when there is no such monitor.
     * @throws Refusal `invalid` when the run would be too large.
     */
    trigger: async (project: string, id: string, runId: string): Promise<Run | null> => {
      const stored = await monitors.get(project, id);
      if (stored === null) return null;
      const { chosen, watermark } = await snapshotOf(parts, stored.monitor);
      const run = await start({ id: runId, monitor: stored.monitor, targets: chosen });
      await monitors.change(project, id, (current) => withRun(current, run, watermark));
      return run;
    },
  };
};
