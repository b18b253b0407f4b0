import type { Monitor } from "../domain/monitors/monitor.ts";
import { marksOf, sightOf, type Marks, type Watermark } from "../domain/monitors/watermark.ts";
import type { MatchingTarget } from "../evaluation/start/matching-targets.ts";
import type { SnapshotMarks } from "../store/monitors/marks.ts";

export interface SnapshotParts {
  readonly marks: SnapshotMarks;
  /** All targets that match, strongly read. @throws Refusal `invalid` when there are too many to read. */
  readonly matching: (monitor: Monitor) => Promise<readonly MatchingTarget[]>;
  readonly now: () => number;
}

/** All that matches a monitor, and how far this look at it sees. */
export interface Snapshot {
  /** Epoch milliseconds at which it began. */
  readonly at: number;
  readonly all: readonly MatchingTarget[];
  readonly marks: Marks;
  /** What it sees that the monitor's previous run had not seen. */
  readonly changed: readonly MatchingTarget[];
}

/** Looks at what matches monitors. */
export const monitorSnapshots = ({ marks: store, matching, now }: SnapshotParts) => {
  /** What a look sees and the one before had not seen: each change is in one of them alone. */
  const changedBetween = async (
    { projectId, id, watermark: before }: Monitor,
    all: readonly MatchingTarget[],
    sees: (target: MatchingTarget) => boolean,
  ): Promise<readonly MatchingTarget[]> => {
    if (before === null) return all.filter(sees);
    const known = sightOf(before, await store.get(projectId, id, before.marks));
    return all.filter((target) => !known(target) && sees(target));
  };

  return {
    take: async (monitor: Monitor): Promise<Snapshot> => {
      const at = now();
      const all = await matching(monitor);
      const marks = marksOf(all, at);
      const changed = await changedBetween(monitor, all, sightOf({ at, seen: [] }, marks));
      return { at, all, marks, changed };
    },

    /** Stores how far a snapshot saw, before anything rests on it. */
    watermark: async ({ projectId, id, watermark }: Monitor, { at, marks }: Snapshot): Promise<Watermark> => ({
      at,
      seen: [],
      marks: await store.put(projectId, id, marks),
      since: watermark?.at,
    }),

    /**
     * The targets of a run that was decided on earlier, of all that match now. What has come since it has left to the next.
     *
     * @param watermark of the decision; null when it is not known.
     */
    targetsOf: async (monitor: Monitor, watermark: Watermark | null): Promise<readonly MatchingTarget[]> => {
      const all = await matching(monitor);
      if (monitor.settings.scope === "all") return all;
      if (watermark === null) return await changedBetween(monitor, all, () => true);
      const marks = await store.get(monitor.projectId, monitor.id, watermark.marks);
      return await changedBetween(monitor, all, sightOf(watermark, marks));
    },
  };
};

/** What a run of a snapshot judges. */
export const chosenOf = ({ settings: { scope } }: Monitor, { all, changed }: Snapshot): readonly MatchingTarget[] =>
  scope === "changed" ? changed : all;
