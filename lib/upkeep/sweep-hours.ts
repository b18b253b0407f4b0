import { inTurns, throwFailures } from "../async/in-turns.ts";
import type { Cursor } from "../store/cursor.ts";
import { hourNamed } from "../store/hours/keys.ts";
import type { HourRollups } from "../store/hours/rollups.ts";
import type { PendingMark, PendingMarks } from "../store/hours/pending-marks.ts";
import { pendingTurns } from "../store/hours/pending-turns.ts";

/** Hours computed at the same time. */
const width = 8;

/** Milliseconds that one hour gets: some hundreds of thousands of rows. What it read of documents it need not read again. */
const turn = 30_000;

/** What a sweep did with the hours that waited to be computed. */
export interface HourSweep {
  /** Hours that had their turn. */
  readonly pending: number;
  readonly computed: number;
  /** Whether there was no time for all: the next sweep goes on with the others. */
  readonly left: boolean;
}

/**
 * Computes the hours that are marked as pending and are due, some of each project in turn.
 *
 * @param budget milliseconds; when they are over the rest waits for the next sweep.
 * @throws AggregateError when some could not be computed, after all others were.
 */
export const sweepHours = async (
  rollups: Pick<HourRollups, "refresh">,
  pending: Pick<PendingMarks, "behind" | "clear">,
  cursor: Cursor,
  budget: number,
  now: () => number = Date.now,
): Promise<HourSweep> => {
  let computed = 0;
  const compute = async (mark: PendingMark, until: number): Promise<void> => {
    // A change that comes while it is computed marks it anew.
    if (!(await rollups.refresh({ project: mark.project, ...hourNamed(mark.name) }, until))) return;
    await pending.clear(mark);
    computed += 1;
  };
  const due = pendingTurns(pending, cursor, now);
  const turns = await inTurns(due, compute, { until: now() + budget, now, turn, width });
  throwFailures(turns, "Hours that could not be computed");
  return { pending: turns.taken, computed, left: turns.left };
};
