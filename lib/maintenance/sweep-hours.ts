import { inTurns, throwFailures } from "../async/in-turns.ts";
import type { Cursor } from "../dynamo/cursor.ts";
import { parseHourName } from "../store/hours/keys.ts";
import type { HourRollups } from "../store/hours/rollups.ts";
import type { PendingMarker, PendingMarkers } from "../store/hours/pending-markers.ts";
import { markersInFairTurns } from "../store/hours/fair-turns.ts";

/** Hours computed concurrently. */
const concurrency = 8;

/** Max milliseconds per hour, enough for some hundred thousand rows. Values read from documents are stored and not read again by the next attempt. */
const turnMilliseconds = 30_000;

/** Report of one sweep over the hours marked as pending. */
export interface HourSweep {
  /** Hours that were processed. */
  readonly pending: number;
  readonly computed: number;
  /** True if time ran out: the next sweep continues with the remaining hours. */
  readonly left: boolean;
}

/**
 * Computes the rollups of due hours that are marked as pending, a few of each project in turn.
 *
 * @param budget milliseconds of work; remaining hours wait for the next sweep.
 * @throws AggregateError when some hours could not be computed, after all others were.
 */
export const sweepHours = async (
  rollups: Pick<HourRollups, "refresh">,
  pending: Pick<PendingMarkers, "listAfter" | "clear">,
  cursor: Cursor,
  budget: number,
  now: () => number = Date.now,
): Promise<HourSweep> => {
  let computed = 0;
  const compute = async (marker: PendingMarker, until: number): Promise<void> => {
    // A change during the computation marks the hour again, and `clear` keeps that marker.
    if (!(await rollups.refresh({ project: marker.project, ...parseHourName(marker.name) }, until))) return;
    await pending.clear(marker);
    computed += 1;
  };
  const due = markersInFairTurns(pending, cursor, now);
  const turns = await inTurns(due, compute, { until: now() + budget, now, turnMilliseconds, concurrency });
  throwFailures(turns, "Hours that could not be computed");
  return { pending: turns.taken, computed, left: turns.isIncomplete };
};
