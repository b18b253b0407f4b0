import { hash } from "node:crypto";

/** A trace or session in a monitor's snapshot, the list of matching targets at the time of a firing. */
export interface SnapshotTarget {
  readonly id: string;
  /** Time of arrival or last change by the service's clock, epoch milliseconds. */
  readonly changedAt: number;
  /** Number of traces of a session, which also reveals a new trace that does not increase `changedAt`. */
  readonly traces: number;
}

/** State of the targets that a monitor's previous run covered; its change markers are stored separately. */
export interface Watermark {
  /** Start of the snapshot, epoch milliseconds. */
  readonly at: number;
  /** Id and change time of recent targets; written by earlier versions of the service instead of change markers. */
  readonly seen: readonly (readonly [id: string, changedAt: number])[];
  /** Name of the stored change markers; absent if there are none. */
  readonly marks?: string | undefined;
  /** Start of the preceding snapshot; absent if there was none. */
  readonly since?: number | undefined;
}

/**
 * Change markers, one per target that changed shortly before or during a snapshot: 8-byte hashes of the target's state.
 * A collision within the markers of one snapshot is practically impossible.
 */
export type ChangeMarkers = Uint8Array;

/**
 * Max milliseconds between the recorded time of a change and its commit: longer than any request lives, plus clock
 * skew.
 */
const commitMargin = 60_000;

const markerBytes = 8;

/** Maximum number of change markers of a snapshot: 320 KB; a DynamoDB item holds 400 KB. */
export const maxChangeMarkers = 40_000;

/** Returns the change marker of a target as one character (0 to 255) per byte. */
const changeMarker = ({ id, changedAt, traces }: SnapshotTarget): string =>
  hash("sha256", `${changedAt} ${traces} ${id}`, "buffer").toString("latin1", 0, markerBytes);

const isRecent = ({ changedAt }: SnapshotTarget, at: number): boolean => changedAt > at - commitMargin;

/**
 * Returns the change markers of a snapshot. If there are too many, the most recently changed targets get no marker and
 * count as changed in the next snapshot.
 *
 * @param at start of the snapshot, epoch milliseconds.
 */
export const changeMarkersOf = (targets: readonly SnapshotTarget[], at: number): ChangeMarkers => {
  const recent = targets.filter((target) => isRecent(target, at));
  const rememberedTargets =
    recent.length > maxChangeMarkers
      ? recent.toSorted((a, b) => a.changedAt - b.changedAt).slice(0, maxChangeMarkers)
      : recent;
  return Buffer.from(rememberedTargets.map(changeMarker).join(""), "latin1");
};

/**
 * Returns a predicate that is true for targets which a snapshot covered in their current state. Targets that have
 * changed since, or may have, are not covered.
 */
export const coverageTest = (
  { at, seen: earlierFormat }: Pick<Watermark, "at" | "seen">,
  storedMarkers: ChangeMarkers | null,
): ((target: SnapshotTarget) => boolean) => {
  const changeTimes = new Map(earlierFormat);
  const text = Buffer.from(storedMarkers ?? []).toString("latin1");
  const markers = new Set<string>();
  for (let start = 0; start < text.length; start += markerBytes) markers.add(text.slice(start, start + markerBytes));
  return (target) =>
    !isRecent(target, at) ||
    changeTimes.get(target.id) === target.changedAt ||
    (markers.size > 0 && markers.has(changeMarker(target)));
};
