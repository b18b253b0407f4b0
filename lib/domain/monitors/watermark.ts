/** A target as a snapshot finds it: its id and when it last arrived or changed, by our clock in epoch milliseconds. */
export interface SnapshotTarget {
  readonly id: string;
  readonly changedAt: number;
}

/** How far a monitor's previous run saw. */
export interface Watermark {
  /** Epoch milliseconds at which the snapshot began. */
  readonly at: number;
  /** What the snapshot held that had changed shortly before or while it was taken: id and change, once each. */
  readonly seen: readonly (readonly [id: string, changedAt: number])[];
}

/**
 * A change is dated before it is committed: what a snapshot missed may be dated this much before it. Longer than a request
 * lives.
 */
const margin = 60_000;

/** More than this is not remembered: it then counts as changed once more. Keeps a monitor's item small. */
const mostSeen = 1_000;

/** The watermark of a snapshot that began at an instant. */
export const watermarkOf = (targets: readonly SnapshotTarget[], at: number): Watermark => {
  const recent = targets.filter(({ changedAt }) => changedAt > at - margin);
  return { at, seen: recent.length > mostSeen ? [] : recent.map(({ id, changedAt }) => [id, changedAt] as const) };
};

/** The targets that arrived or changed since an earlier snapshot; all of them when there was none. In doubt, changed. */
export const changedSince = <Target extends SnapshotTarget>(
  targets: readonly Target[],
  watermark: Watermark | null,
): readonly Target[] => {
  if (watermark === null) return targets;
  const seen = new Map(watermark.seen);
  return targets.filter(({ id, changedAt }) => changedAt > watermark.at - margin && seen.get(id) !== changedAt);
};
