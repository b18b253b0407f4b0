import { hash } from "node:crypto";

/** A target as a snapshot finds it. */
export interface SnapshotTarget {
  readonly id: string;
  /** When it last arrived or changed, by our clock in epoch milliseconds. */
  readonly changedAt: number;
  /** Of a session: what arrives late may be dated before what is there. */
  readonly traces: number;
}

/** How far a monitor's previous run saw, but for its marks, which lie apart from it. */
export interface Watermark {
  /** Epoch milliseconds at which the snapshot began. */
  readonly at: number;
  /** What an earlier version has written in place of marks: id and change, once each. */
  readonly seen: readonly (readonly [id: string, changedAt: number])[];
  /** The name of its marks; absent where it has none. */
  readonly marks?: string | undefined;
  /** The beginning of the snapshot that it goes on from; absent where there was none. */
  readonly since?: number | undefined;
}

/**
 * What a snapshot saw that had changed shortly before or while it was taken: 8 bytes for each, a hash. Two things in one
 * minute's marks are taken for one another once in many thousand years.
 */
export type Marks = Uint8Array;

/**
 * A change is dated before it is committed: what a snapshot missed may be dated this much before it. Longer than a request
 * lives, with the difference of two machines' clocks.
 */
const margin = 60_000;

const markBytes = 8;

/** Marks of one snapshot: 320 KB, an item of theirs holds 400. */
export const mostMarks = 40_000;

/** One of the characters 0 to 255 for each byte. */
const markOf = ({ id, changedAt, traces }: SnapshotTarget): string =>
  hash("sha256", `${changedAt} ${traces} ${id}`, "buffer").toString("latin1", 0, markBytes);

const isRecent = ({ changedAt }: SnapshotTarget, at: number): boolean => changedAt > at - margin;

/**
 * The marks of a snapshot that began at an instant. Where there are too many to remember the newest have none: the snapshot
 * has not seen them then, and leaves them to the next.
 */
export const marksOf = (targets: readonly SnapshotTarget[], at: number): Marks => {
  const recent = targets.filter((target) => isRecent(target, at));
  const kept =
    recent.length > mostMarks ? recent.toSorted((a, b) => a.changedAt - b.changedAt).slice(0, mostMarks) : recent;
  return Buffer.from(kept.map(markOf).join(""), "latin1");
};

/** Tells what a snapshot has seen, as it is now. What changed again since it has not seen; in doubt, it has not. */
export const sightOf = (
  { at, seen }: Pick<Watermark, "at" | "seen">,
  marks: Marks | null,
): ((target: SnapshotTarget) => boolean) => {
  const pairs = new Map(seen);
  const text = Buffer.from(marks ?? []).toString("latin1");
  const known = new Set<string>();
  for (let start = 0; start < text.length; start += markBytes) known.add(text.slice(start, start + markBytes));
  return (target) =>
    !isRecent(target, at) || pairs.get(target.id) === target.changedAt || (known.size > 0 && known.has(markOf(target)));
};
