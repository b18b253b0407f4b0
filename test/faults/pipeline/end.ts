import { isTerminal } from "../../../lib/domain/runs/run.ts";
import type { Database } from "../../../lib/store/database.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { checkAnswers, checkEnd } from "../end-state.ts";
import { everyScoreId } from "./run-score-list.ts";
import type { ScriptedJudge } from "./scripted-judge.ts";
import { checkSessions } from "./session-end.ts";
import type { Tracked } from "./tracked-run.ts";
import type { Violations } from "../violations.ts";

/** Whether a run was deleted and nothing of it is left to remove. */
export const isBuried = async (database: Database, { order }: Tracked): Promise<boolean> => {
  const deletion = runDeletion(database, runStore(database));
  const stored = await deletion.find(order.projectId, order.id);
  if (stored === null) return false;
  for await (const { run } of deletion.list(null)) if (run === order.id) return false;
  return true;
};

export interface PipelineEnd {
  readonly database: Database;
  /** Ids of the traces that nobody deletes. */
  readonly traces: readonly string[];
  readonly runs: readonly Tracked[];
  /** Ids of the traces that somebody may have deleted. */
  readonly doomed: readonly string[];
  readonly judge: ScriptedJudge;
  readonly deliveriesOf: ReadonlyMap<string, number>;
  readonly broken: Violations;
}

/** Checks that every run of a schedule ended as it must. @returns how many scores there are. */
export const checkRuns = async ({
  database,
  traces,
  runs,
  doomed,
  judge,
  deliveriesOf,
  broken,
}: PipelineEnd): Promise<number> => {
  let scores = 0;
  for (const run of runs) {
    const deleting = run.deletions > 0;
    const ended = await run.watch.look(run.acked, deleting);
    const found = await run.watch.lookAtScores(deleting);
    scores += found.length;
    if (ended === null && deleting) {
      const left = await everyScoreId(database, run.order);
      broken.expect(await isBuried(database, run), "I10: a deleted run is not removed");
      broken.expect(run.doomed === "without" || left.size === 0, "I10: scores of a deleted run are left");
      broken.expect(run.deletedWith === null || left.isSubsetOf(run.deletedWith), "I10: a deleted run was scored");
      continue;
    }
    if (ended === null) {
      const left = await runStore(database).read(run.order.projectId, run.order.id);
      broken.expect(left === null, "I4: a creation that was broken off is left");
      continue;
    }
    broken.expect(run.deletedWith === null, "I10: a run is there after its deletion was acknowledged");
    broken.expect(isTerminal(ended.status), `I3: a run is still ${ended.status}`);
    if (!isTerminal(ended.status)) continue;
    const there = new Set([...traces, ...run.sessions.keys()]);
    const always = new Set(run.targets.map(({ id }) => id).filter((id) => !there.has(id)));
    const perhaps = new Set(run.sessions.size > 0 ? [] : doomed);
    const gone = { always: always.difference(perhaps), perhaps };
    await checkEnd(database, run, ended, found, gone, broken);
    const stored = await runStore(database).read(run.order.projectId, run.order.id);
    const slices = await runStore(database).slices(run.order.projectId, run.order.id, stored?.attempt ?? "");
    const countOf = (target: string): number =>
      run.order.sequential
        ? [...deliveriesOf.values()].reduce((sum, count) => sum + count, 0)
        : (deliveriesOf.get(slices.find(({ slice }) => slice.targets.includes(target))?.slice.id ?? "") ?? 0);
    if (run.order.targetType === "SESSION") await checkSessions(database, run, found, judge.calls, countOf, broken);
    else checkAnswers(found, judge.calls, countOf, broken);
  }
  return scores;
};
