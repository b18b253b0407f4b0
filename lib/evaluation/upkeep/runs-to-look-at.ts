import type { DueRuns } from "../../store/runs/due-runs.ts";
import type { OpenRuns } from "../../store/runs/open.ts";

/** A run that a sweep has to look at. */
export interface RunToLookAt {
  readonly project: string;
  readonly run: string;
  /** Since when, epoch milliseconds. */
  readonly since: number;
  /** Whether an instant is noted of it. */
  readonly noted: boolean;
}

/**
 * The runs that a sweep has to look at, who waits longest first: those whose instant has come, and open ones of which none is
 * noted. Read from keys alone: a run that waits costs nothing but its place in two indexes.
 *
 * @param until epoch milliseconds: whose instant comes later is not looked at.
 * @returns also how many runs are open.
 */
export const runsToLookAt = async (
  openRuns: Pick<OpenRuns, "list">,
  dueRuns: Pick<DueRuns, "list">,
  until: number,
): Promise<{ readonly open: number; readonly toLookAt: readonly RunToLookAt[] }> => {
  const noted = new Set<string>();
  const found: RunToLookAt[] = [];
  for await (const { project, run, at } of dueRuns.list()) {
    noted.add(`${project} ${run}`);
    if (at <= until) found.push({ project, run, since: at, noted: true });
  }
  let open = 0;
  for await (const { project, run, createdAt } of openRuns.list()) {
    open += 1;
    if (!noted.has(`${project} ${run}`)) found.push({ project, run, since: createdAt, noted: false });
  }
  return { open, toLookAt: found.toSorted((a, b) => a.since - b.since) };
};
