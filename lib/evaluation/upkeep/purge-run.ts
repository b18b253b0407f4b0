import type { RunDeletion } from "../../store/runs/deletion.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Spend } from "../../store/spend/spend.ts";
import type { ScoreRemoval } from "../../store/scores/removal.ts";

/** A run is buried this long after its deletion at the earliest: longer than any index lags. */
const burialMilliseconds = 60_000;

export interface PurgeParts {
  readonly deletion: RunDeletion;
  readonly scores: Pick<ScoreRemoval, "removeScoresOfRun">;
  readonly spend: Pick<Spend, "releaseRun">;
  readonly now: () => number;
}

/**
 * Removes what a deleted run has left, for as long as there is time.
 *
 * @param until epoch milliseconds.
 * @returns whether it is buried; until then it has to be done again.
 */
export type PurgeRun = (stored: StoredRun, until: number) => Promise<boolean>;

/**
 * Where the deletion broke off its slices are taken from their workers first. Its scores go as often as the index still
 * tells of some; the run's own items when a later look found none.
 */
export const runPurge =
  ({ deletion, scores, spend, now }: PurgeParts): PurgeRun =>
  async (stored, until) => {
    if (stored.deleted === null) return true;
    const { projectId, id } = stored.run.order;
    await deletion.voidSlices(stored);
    await spend.releaseRun(projectId, id, () => deletion.costs(stored));
    const found = stored.deleted.scores ? await scores.removeScoresOfRun(projectId, id, until) : 0;
    if (found > 0 || now() - stored.deleted.at < burialMilliseconds) return false;
    await deletion.bury(stored);
    return true;
  };
