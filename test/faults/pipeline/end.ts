import { isTerminal } from "../../../lib/domain/runs/run.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { checkScoreReasons, checkEnd } from "../end-state.ts";
import { everyScoreId } from "./run-score-list.ts";
import type { ScriptedJudge } from "./scripted-judge.ts";
import { checkSessions } from "./session-end.ts";
import type { Tracked } from "./tracked-run.ts";
import type { Violations } from "../violations.ts";

/** True if a run was deleted and no item remains to be purged. */
export const isDeletionComplete = async (database: Database, { order }: Tracked): Promise<boolean> => {
  const deletion = runDeletion(database, runStore(database));
  const storedRun = await deletion.find(order.projectId, order.id);
  if (storedRun === null) return false;
  for await (const { run } of deletion.list(null)) if (run === order.id) return false;
  return true;
};

export interface PipelineEnd {
  readonly database: Database;
  /** Ids of the traces that are never deleted. */
  readonly traces: readonly string[];
  readonly runs: readonly Tracked[];
  /** Ids of the traces that may have been deleted. */
  readonly deletedTraces: readonly string[];
  readonly judge: ScriptedJudge;
  readonly deliveriesOf: ReadonlyMap<string, number>;
  readonly invariants: Violations;
}

/** Checks the final state of every run of a schedule. @returns the number of stored scores. */
export const checkRuns = async ({
  database,
  traces,
  runs,
  deletedTraces,
  judge,
  deliveriesOf,
  invariants,
}: PipelineEnd): Promise<number> => {
  let scores = 0;
  for (const run of runs) {
    const deleting = run.deletions > 0;
    const endedRun = await run.watch.readRun(run.acked, deleting);
    const scoresOfRun = await run.watch.readScores(deleting);
    scores += scoresOfRun.length;
    if (endedRun === null && deleting) {
      const remainingScores = await everyScoreId(database, run.order);
      invariants.expect(await isDeletionComplete(database, run), "I10: a deleted run is not removed");
      invariants.expect(
        run.deletionMode === "without" || remainingScores.size === 0,
        "I10: scores of a deleted run are left",
      );
      invariants.expect(
        run.deletedWith === null || remainingScores.isSubsetOf(run.deletedWith),
        "I10: a deleted run was scored",
      );
      continue;
    }
    if (endedRun === null) {
      const remainingRun = await runStore(database).read(run.order.projectId, run.order.id);
      invariants.expect(remainingRun === null, "I4: a creation that was broken off is left");
      continue;
    }
    invariants.expect(run.deletedWith === null, "I10: a run is there after its deletion was acknowledged");
    invariants.expect(isTerminal(endedRun.status), `I3: a run is still ${endedRun.status}`);
    if (!isTerminal(endedRun.status)) continue;
    const existingTargets = new Set([...traces, ...run.sessions.keys()]);
    const always = new Set(run.targets.map(({ id }) => id).filter((id) => !existingTargets.has(id)));
    const perhaps = new Set(run.sessions.size > 0 ? [] : deletedTraces);
    const absentTargets = { always: always.difference(perhaps), perhaps };
    await checkEnd(database, run, endedRun, scoresOfRun, absentTargets, invariants);
    const storedRun = await runStore(database).read(run.order.projectId, run.order.id);
    const slices = await runStore(database).slices(run.order.projectId, run.order.id, storedRun?.attempt ?? "");
    const countOf = (target: string): number =>
      run.order.sequential
        ? [...deliveriesOf.values()].reduce((sum, count) => sum + count, 0)
        : (deliveriesOf.get(slices.find(({ slice }) => slice.targets.includes(target))?.slice.id ?? "") ?? 0);
    if (run.order.targetType === "SESSION")
      await checkSessions(database, run, scoresOfRun, judge.calls, countOf, invariants);
    else checkScoreReasons(scoresOfRun, judge.calls, countOf, invariants);
  }
  return scores;
};
