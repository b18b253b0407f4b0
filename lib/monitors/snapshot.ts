import type { Monitor } from "../domain/monitors/monitor.ts";
import { changeMarkersOf, coverageTest, type ChangeMarkers, type Watermark } from "../domain/monitors/watermark.ts";
import type { MatchingTarget } from "../evaluation/start/matching-targets.ts";
import type { ChangeMarkerStore } from "../store/monitors/change-markers.ts";

export interface SnapshotDependencies {
  readonly changeMarkers: ChangeMarkerStore;
  /** Returns all targets that match a monitor, by strongly consistent reads. @throws Refusal `invalid` when there are too many to read. */
  readonly matching: (monitor: Monitor) => Promise<readonly MatchingTarget[]>;
  readonly now: () => number;
}

/** All targets that match a monitor at an instant, with the change markers of the minute before it. */
export interface Snapshot {
  /** Start of the snapshot, epoch milliseconds. */
  readonly at: number;
  readonly all: readonly MatchingTarget[];
  readonly changeMarkers: ChangeMarkers;
  /** Targets with changes that the monitor's previous run did not cover. */
  readonly changed: readonly MatchingTarget[];
}

/** Takes snapshots of the targets that match monitors and compares them with watermarks. */
export const monitorSnapshots = ({ changeMarkers: store, matching, now }: SnapshotDependencies) => {
  /** Returns the targets whose changes a snapshot covers and the previous watermark does not: each change belongs to one snapshot only. */
  const changedSince = async (
    { projectId, id, watermark: previous }: Monitor,
    all: readonly MatchingTarget[],
    covers: (target: MatchingTarget) => boolean,
  ): Promise<readonly MatchingTarget[]> => {
    if (previous === null) return all.filter(covers);
    const wasCovered = coverageTest(previous, await store.get(projectId, id, previous.marks));
    return all.filter((target) => !wasCovered(target) && covers(target));
  };

  return {
    take: async (monitor: Monitor): Promise<Snapshot> => {
      const at = now();
      const all = await matching(monitor);
      const changeMarkers = changeMarkersOf(all, at);
      const changed = await changedSince(monitor, all, coverageTest({ at, seen: [] }, changeMarkers));
      return { at, all, changeMarkers, changed };
    },

    /** Stores a snapshot's change markers and returns its watermark. Called before any decision that depends on the watermark. */
    watermark: async ({ projectId, id, watermark }: Monitor, { at, changeMarkers }: Snapshot): Promise<Watermark> => ({
      at,
      seen: [],
      marks: await store.put(projectId, id, changeMarkers),
      since: watermark?.at,
    }),

    /**
     * Returns the targets of a run that was decided on earlier, among those that match now. Later changes are left to the
     * next run.
     *
     * @param watermark watermark of the decision; null if unknown.
     */
    targetsOfDecision: async (monitor: Monitor, watermark: Watermark | null): Promise<readonly MatchingTarget[]> => {
      const all = await matching(monitor);
      if (monitor.settings.scope === "all") return all;
      if (watermark === null) return await changedSince(monitor, all, () => true);
      const changeMarkers = await store.get(monitor.projectId, monitor.id, watermark.marks);
      return await changedSince(monitor, all, coverageTest(watermark, changeMarkers));
    },
  };
};

/** Returns the targets that a monitor's run judges: those that changed, or all, by the monitor's scope. */
export const targetsToJudge = (
  { settings: { scope } }: Monitor,
  { all, changed }: Snapshot,
): readonly MatchingTarget[] => (scope === "changed" ? changed : all);
