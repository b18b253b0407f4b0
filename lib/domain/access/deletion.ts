/** Kinds of objects that can be deleted together with everything in them; USER: a user of a project's traces. */
export const deletionKinds = ["PROJECT", "ORGANIZATION", "USER"] as const;
type DeletionKind = (typeof deletionKinds)[number];

/** RUNNING: the object is hidden and its items are being removed. PROVED: a later search found no item of it. */
export const deletionStatuses = ["RUNNING", "PROVED"] as const;

/** The deletion of a project, an organization or a user of traces; the record is kept as proof after the deletion is finished. */
export interface Deletion {
  /** Id of the deleted project or organization; of a user the pseudonym, see `pseudonymOf`. */
  readonly id: string;
  readonly kind: DeletionKind;
  /** Name of the project or organization; of a user the pseudonym. */
  readonly name: string;
  /** Project of an erased user; null for other kinds. */
  readonly projectId: string | null;
  readonly organizationId: string;
  /** Id of the user who requested the deletion, or of the API key that erased a user of traces. */
  readonly requestedBy: string;
  readonly requestedAt: string;
  /**
   * Number of removed items by eraser name. Items that an eraser removed in the last second before its worker crashed
   * are not counted.
   */
  readonly removed: Readonly<Record<string, number>>;
  /** Time at which a worker last processed the deletion, epoch milliseconds; null if none has. */
  readonly workedAt: number | null;
  /** The unfinished pass over the object's items, to be continued; null if the last pass was finished. */
  readonly passing: UnfinishedPass | null;
  /**
   * Start of the turn that completed the first pass without items, epoch milliseconds; null if the latest pass found
   * items.
   */
  readonly emptySince: number | null;
  /** Number of items that table scans found and the passes had missed. */
  readonly strays: number;
  /** Start of the last table scan that found an item of the deletion, epoch milliseconds; null if none has. */
  readonly strayScan: number | null;
  readonly provedAt: string | null;
}

/**
 * Milliseconds between the two passes that must both find no items: longer than any function (15 minutes) or cache
 * entry (5 s) lives.
 */
export const proofMilliseconds = 16 * 60_000;

/**
 * State of a pass that ran out of time. A pass calls each eraser (the function that removes one kind of items) once.
 */
export interface UnfinishedPass {
  /** Start of the pass, epoch milliseconds. */
  readonly begunAt: number;
  /** Name of the eraser at which the pass continues. */
  readonly at: string;
  /** Place at which the eraser continues, in its own terms; null at its beginning. */
  readonly place: string | null;
  /** True if the pass has found any item so far, removed or not. */
  readonly found: boolean;
}

/** Result of one turn of a pass: the part of the pass that one worker ran. */
export interface Pass extends Omit<UnfinishedPass, "at"> {
  /** Start of the turn, epoch milliseconds. */
  readonly turnAt: number;
  /** Name of the eraser at which time ran out; null if the pass is complete. */
  readonly at: string | null;
}

/**
 * True if a table scan that begins at `at` finds every remaining item of a deletion, because every process that may
 * have written such items has ended.
 */
const isReadyForScan = ({ kind, emptySince, strayScan }: Deletion, at: number): boolean =>
  kind === "PROJECT" && emptySince !== null && at - Math.max(emptySince, strayScan ?? 0) >= proofMilliseconds;

/**
 * True if a table scan removes the items of a deletion that it finds; this holds until the end of the scan that found
 * the first item.
 *
 * @param scan start of the scan, epoch milliseconds.
 */
export const isRemovableByScan = (deletion: Deletion, scan: number): boolean =>
  isReadyForScan(deletion.strayScan === scan ? { ...deletion, strayScan: null } : deletion, scan);

/**
 * True if the last completed scan found no item of the deletion.
 *
 * @param scan start of that scan, epoch milliseconds; null if there was none.
 */
const hasCleanScan = (deletion: Deletion, scan: number | null): boolean =>
  deletion.kind !== "PROJECT" || (scan !== null && isReadyForScan(deletion, scan));

/**
 * True if a deletion needs a table scan that has not begun.
 *
 * @param scan start of the last scan, epoch milliseconds; null if there was none.
 */
export const needsScan = (deletion: Deletion, scan: number | null, now: number): boolean =>
  isReadyForScan(deletion, now) && !hasCleanScan(deletion, scan);

/**
 * Computes the state of a deletion after one turn of a pass, and whether the deletion is complete.
 *
 * @param isPostponed true while the organization has projects whose deletion is not finished.
 * @param scan start of the last completed table scan, epoch milliseconds; null if there was none.
 */
export const afterPass = (
  deletion: Deletion,
  { begunAt, turnAt, at, place, found: hasFoundItems }: Pass,
  isPostponed: boolean,
  scan: number | null,
): { readonly deletion: Deletion; readonly isProved: boolean } => {
  const passing = at === null ? null : { begunAt, at, place, found: hasFoundItems };
  if (hasFoundItems || isPostponed || passing !== null) {
    return {
      deletion: { ...deletion, passing, emptySince: hasFoundItems ? null : deletion.emptySince },
      isProved: false,
    };
  }
  const emptySince = deletion.emptySince ?? turnAt;
  const isProofTimeOver = deletion.emptySince !== null && begunAt - deletion.emptySince >= proofMilliseconds;
  return { deletion: { ...deletion, passing, emptySince }, isProved: isProofTimeOver && hasCleanScan(deletion, scan) };
};

/**
 * True if a deletion needs another pass now: after a pass without items only once `proofMilliseconds` are over and a
 * table scan found no items.
 */
export const isDue = (deletion: Deletion, scan: number | null, now: number): boolean =>
  deletion.emptySince === null || (now - deletion.emptySince >= proofMilliseconds && hasCleanScan(deletion, scan));
