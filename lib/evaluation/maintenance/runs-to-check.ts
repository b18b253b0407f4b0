import type { DueRuns } from "../../store/runs/due-runs.ts";
import type { OpenRuns } from "../../store/runs/open.ts";

/** A run that a sweep must check. */
export interface RunToCheck {
  readonly project: string;
  readonly run: string;
  /** Time since which the run is due, epoch milliseconds. */
  readonly since: number;
  /** True if a time of the run's next check is stored. */
  readonly isScheduled: boolean;
}

/**
 * Returns the runs that a sweep must check, longest overdue first: scheduled runs whose time has come, and open runs without
 * a scheduled check. Reads index keys only, so that a waiting run costs no read of its own.
 *
 * @param until epoch milliseconds; runs scheduled later are left out.
 * @returns the due runs, and the number of open runs.
 */
export const runsToCheck = async (
  openRuns: Pick<OpenRuns, "list">,
  dueRuns: Pick<DueRuns, "list">,
  until: number,
): Promise<{ readonly open: number; readonly due: readonly RunToCheck[] }> => {
  const scheduledKeys = new Set<string>();
  const runs: RunToCheck[] = [];
  for await (const { project, run, at } of dueRuns.list()) {
    scheduledKeys.add(`${project} ${run}`);
    if (at <= until) runs.push({ project, run, since: at, isScheduled: true });
  }
  let open = 0;
  for await (const { project, run, createdAt } of openRuns.list()) {
    open += 1;
    if (!scheduledKeys.has(`${project} ${run}`)) runs.push({ project, run, since: createdAt, isScheduled: false });
  }
  return { open, due: runs.toSorted((a, b) => a.since - b.since) };
};
