/** What can be deleted with everything in it. */
export const deletionKinds = ["PROJECT", "ORGANIZATION"] as const;
type DeletionKind = (typeof deletionKinds)[number];

/** RUNNING: hidden, and being removed. PROVED: looked for again later, and nothing was there. */
export const deletionStatuses = ["RUNNING", "PROVED"] as const;

/** The deletion of a project or organization, and its receipt. */
export interface Deletion {
  /** That of what is deleted. */
  readonly id: string;
  readonly kind: DeletionKind;
  readonly name: string;
  readonly organizationId: string;
  /** The user who asked for it. */
  readonly requestedBy: string;
  readonly requestedAt: string;
  /** Items removed, by what they are. What a worker removed in the last second before it died is not counted. */
  readonly removed: Readonly<Record<string, number>>;
  /** When a worker last went on with it, epoch milliseconds; null when none has. */
  readonly workedAt: number | null;
  /** The pass whose time was over before it came to its end; null when there is none. */
  readonly passing: PassBegun | null;
  /** When a pass that found nothing began, epoch milliseconds; null after one that found something. */
  readonly emptySince: number | null;
  /** Items that a scan of the tables came upon, where no list led to them. */
  readonly strays: number;
  /** When the last scan that came upon any began, epoch milliseconds; null when none has. */
  readonly strayScan: number | null;
  readonly provedAt: string | null;
}

/** Milliseconds between the two passes that found nothing: longer than any function (15 minutes) or cache (5 s) lives. */
export const proofMilliseconds = 16 * 60_000;

/** A pass over everything that a list leads to, which the next turn goes on with. */
export interface PassBegun {
  /** Epoch milliseconds. */
  readonly begunAt: number;
  /** What it is at. */
  readonly at: string;
  /** Whether it came upon anything so far, removed or not. */
  readonly found: boolean;
}

/** A turn of a pass. */
export interface Pass extends Omit<PassBegun, "at"> {
  /** When the turn began, epoch milliseconds. */
  readonly turnAt: number;
  /** What it was at when its time was over; null at its end. */
  readonly at: string | null;
}

/**
 * Whether a scan of the tables that begins at an instant finds all that the deletion has left: whoever wrote what was found
 * last writes no more.
 */
const isRipe = ({ kind, emptySince, strayScan }: Deletion, at: number): boolean =>
  kind === "PROJECT" && emptySince !== null && at - Math.max(emptySince, strayScan ?? 0) >= proofMilliseconds;

/**
 * Whether a scan removes what it comes upon of a deletion: to its end also what it has come upon before.
 *
 * @param scan when it began, epoch milliseconds.
 */
export const isScannedFor = (deletion: Deletion, scan: number): boolean =>
  isRipe(deletion.strayScan === scan ? { ...deletion, strayScan: null } : deletion, scan);

/** Whether the scan that ended last tells that nothing is left. @param scan when it began; null when there was none. */
const isScanned = (deletion: Deletion, scan: number | null): boolean =>
  deletion.kind === "ORGANIZATION" || (scan !== null && isRipe(deletion, scan));

/** Whether a deletion waits for a scan of the tables that has not begun. @param scan when the last one began. */
export const wantsScan = (deletion: Deletion, scan: number | null, now: number): boolean =>
  isRipe(deletion, now) && !isScanned(deletion, scan);

/**
 * A deletion after a turn of a pass, and whether it is proved now.
 *
 * @param waits whether it is not empty before others are.
 * @param scan when the last scan that came to its end began, epoch milliseconds; null when there was none.
 */
export const afterPass = (
  deletion: Deletion,
  { begunAt, turnAt, at, found }: Pass,
  waits: boolean,
  scan: number | null,
): { readonly deletion: Deletion; readonly proved: boolean } => {
  const passing = at === null ? null : { begunAt, at, found };
  if (found || waits || passing !== null) {
    return { deletion: { ...deletion, passing, emptySince: found ? null : deletion.emptySince }, proved: false };
  }
  const emptySince = deletion.emptySince ?? turnAt;
  const isOld = deletion.emptySince !== null && begunAt - deletion.emptySince >= proofMilliseconds;
  return { deletion: { ...deletion, passing, emptySince }, proved: isOld && isScanned(deletion, scan) };
};

/** Whether there is anything to look for: after an empty pass not before the time of its proof, and the scan, are over. */
export const isDue = (deletion: Deletion, scan: number | null, now: number): boolean =>
  deletion.emptySince === null || (now - deletion.emptySince >= proofMilliseconds && isScanned(deletion, scan));
