/** What can be deleted with everything in it. */
export const deletionKinds = ["PROJECT", "ORGANIZATION"] as const;
export type DeletionKind = (typeof deletionKinds)[number];

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
  /** Items removed, by table. What a worker removed just before it died is not counted. */
  readonly removed: Readonly<Record<string, number>>;
  /** When a pass that found nothing began, epoch milliseconds; null after one that found something. */
  readonly emptySince: number | null;
  readonly provedAt: string | null;
}

/** Milliseconds between the two passes that found nothing: longer than any function (15 minutes) or cache (30 s) lives. */
export const proofMilliseconds = 16 * 60_000;

/** A pass over everything that may be there. */
export interface Pass {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly removed: Readonly<Record<string, number>>;
  /** Whether it came to its end before its time was over. */
  readonly complete: boolean;
}

/** A deletion after a pass, and whether it is proved now. */
export const afterPass = (
  deletion: Deletion,
  pass: Pass,
): { readonly deletion: Deletion; readonly proved: boolean } => {
  const removed = { ...deletion.removed };
  for (const [table, count] of Object.entries(pass.removed)) removed[table] = (removed[table] ?? 0) + count;
  const found = Object.values(pass.removed).some((count) => count > 0);
  if (found || !pass.complete) {
    return { deletion: { ...deletion, removed, emptySince: found ? null : deletion.emptySince }, proved: false };
  }
  const emptySince = deletion.emptySince ?? pass.startedAt;
  return {
    deletion: { ...deletion, removed, emptySince },
    proved: deletion.emptySince !== null && pass.startedAt - deletion.emptySince >= proofMilliseconds,
  };
};

/** Whether there is anything to look for: after an empty pass not before its proof is due. */
export const isDue = ({ emptySince }: Deletion, now: number): boolean =>
  emptySince === null || now - emptySince >= proofMilliseconds;
