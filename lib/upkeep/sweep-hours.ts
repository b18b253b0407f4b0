import { hourNamed } from "../store/hours/keys.ts";
import type { HourRollups } from "../store/hours/rollups.ts";
import type { PendingMarks } from "../store/hours/pending-marks.ts";

/** Hours computed at the same time. */
const parallel = 8;

/** Milliseconds after which the rest waits for the next sweep. */
const patience = 60_000;

/** What a sweep did with the hours that waited to be computed. */
export interface HourSweep {
  readonly pending: number;
  readonly computed: number;
}

/**
 * Computes the hours that are marked as pending and are due.
 *
 * @throws AggregateError when some could not be computed, after all others were.
 */
export const sweepHours = async (
  rollups: HourRollups,
  pending: PendingMarks,
  now: () => number = Date.now,
): Promise<HourSweep> => {
  const deadline = now() + patience;
  const done = { pending: 0, computed: 0 };
  const failures: unknown[] = [];
  const marks = pending.list();
  const work = async (): Promise<void> => {
    for await (const mark of marks) {
      done.pending += 1;
      if (now() >= deadline) continue;
      try {
        // A change that comes while it is computed marks it anew.
        if (!(await rollups.refresh({ project: mark.project, ...hourNamed(mark.name) }))) continue;
        await pending.clear(mark);
        done.computed += 1;
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} hours could not be computed.`);
  return done;
};
