import { faultFields, logLine } from "../../log.ts";
import { logContextOfRun, type StoredRun } from "../../store/runs/codec.ts";
import type { RunDeletion } from "../../store/runs/deletion.ts";
import type { ScoreRemoval } from "../../store/scores/removal.ts";

/** Min milliseconds between a run's deletion and the removal of its last items: longer than any index lags. */
const purgeDelay = 60_000;

export interface PurgeDependencies {
  readonly deletion: RunDeletion;
  readonly scores: Pick<ScoreRemoval, "removeScoresOfRun">;
  readonly now: () => number;
}

/**
 * Removes the remaining items of a deleted run for a limited time.
 *
 * @param until epoch milliseconds at which the removal stops.
 * @returns true if nothing is left of the run; otherwise the purge must be repeated later.
 */
export type PurgeRun = (storedRun: StoredRun, until: number) => Promise<boolean>;

/**
 * Creates a run purge. A purge first takes the slices from their workers, in case the deletion was interrupted, then removes
 * the run's scores until the index lists none, and then replaces the run's items by a tombstone.
 */
export const runPurge =
  ({ deletion, scores, now }: PurgeDependencies): PurgeRun =>
  async (storedRun, until) => {
    if (storedRun.deletion === null) return true;
    const { projectId, id } = storedRun.run.order;
    await deletion.voidSlices(storedRun);
    const removedCount = storedRun.deletion.scores ? await scores.removeScoresOfRun(projectId, id, until) : 0;
    if (removedCount > 0 || now() - storedRun.deletion.at < purgeDelay) return false;
    await deletion.leaveTombstone(storedRun);
    logLine("run_purged", { ...logContextOfRun(storedRun) });
    return true;
  };

/** Milliseconds for the deleted runs of a batch of stream records, while new runs of later batches wait. */
const promptMilliseconds = 5_000;

/**
 * Purges deleted runs right away. Runs that take longer or fail are left to the sweeper, which finds every deleted run, since new
 * runs wait in the same stream: a purge neither fails nor repeats a batch.
 */
export const purgeRunsPromptly =
  (deletion: Pick<RunDeletion, "find">, purge: PurgeRun, now: () => number = Date.now) =>
  async (runs: readonly { readonly project: string; readonly run: string }[]): Promise<void> => {
    const until = now() + promptMilliseconds;
    for (const { project, run } of runs) {
      if (now() >= until) return;
      try {
        const storedRun = await deletion.find(project, run);
        if (storedRun !== null) await purge(storedRun, until);
      } catch (error) {
        logLine("run_not_purged", { project_id: project, run_id: run, ...faultFields(error) });
      }
    }
  };
