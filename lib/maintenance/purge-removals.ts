import type { Cursor, CursorLocation } from "../dynamo/cursor.ts";
import type { PendingMarkers } from "../store/hours/pending-markers.ts";
import type { PurgeRemoval, Removal } from "../store/scores/purge.ts";
import { sweepMarkers, workPromptly } from "./prompt-work.ts";

/** Cursor of the sweep in the markers of deleted traces and sessions that have to be purged. */
export const removalCursor: CursorLocation = { table: "aggregates", name: "removal-turns", ttlSeconds: 86_400 };

/** Deletions purged concurrently by a batch of stream records, and by the sweeper. */
const concurrency = { batch: 10, sweep: 2 } as const;

/** Bytes of a marker's name that fit into a sort key of 1,024 beside the project. */
const maxNameBytes = 980;

/** Returns the name of a deletion's marker within its project. */
const nameOf = (removal: Removal): string =>
  removal.kind === "trace"
    ? `trace#${removal.trace}#${removal.incarnation}`
    : `session#${removal.at}#${removal.session}`;

/** Parses the name of a marker. A session's id may contain `#`. */
const removalOf = (project: string, name: string): Removal => {
  const [kind, first = "", ...rest] = name.split("#");
  const last = rest.join("#");
  return kind === "trace"
    ? { kind, project, trace: first, incarnation: last }
    : { kind: "session", project, session: last, at: Number(first) };
};

const isPurged = async (purge: PurgeRemoval, removal: Removal): Promise<true> => {
  await purge(removal);
  return true;
};

/**
 * Purges deletions right away. Those that take long or fail are marked for the sweeper.
 *
 * @throws AggregateError when a deletion could not be marked.
 */
export const purgeRemovalsPromptly =
  (purge: PurgeRemoval, pending: Pick<PendingMarkers, "mark">, now: () => number = Date.now) =>
  (removals: readonly Removal[]): Promise<void> =>
    workPromptly(
      removals,
      {
        work: (removal) => isPurged(purge, removal),
        // The id of a session may have 255 characters of four bytes: then its deletion cannot wait.
        mark: (removal) =>
          Buffer.byteLength(nameOf(removal)) > maxNameBytes
            ? purge(removal)
            : pending.mark(removal.project, nameOf(removal)),
        logFields: ({ project }) => ({ project_id: project }),
        event: "deletion_not_purged",
        concurrency: concurrency.batch,
      },
      now,
    );

/** Report of one sweep over the marked deletions. */
interface RemovalSweep {
  readonly deletions: number;
  readonly purged: number;
  /** True if time ran out. */
  readonly left: boolean;
}

/** Purges marked deletions, a few of each project in turn. @param budget milliseconds. @throws AggregateError when some failed. */
export const sweepRemovals = async (
  purge: PurgeRemoval,
  pending: Pick<PendingMarkers, "listAfter" | "clear">,
  cursor: Cursor,
  budget: number,
  now: () => number = Date.now,
): Promise<RemovalSweep> => {
  const { taken, completed, isIncomplete } = await sweepMarkers(
    pending,
    cursor,
    ({ project, name }) => isPurged(purge, removalOf(project, name)),
    { budget, failure: "Deletions that could not be purged", concurrency: concurrency.sweep },
    now,
  );
  return { deletions: taken, purged: completed, left: isIncomplete };
};
