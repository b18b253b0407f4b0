import { pageOf } from "../../domain/page.ts";
import type { Score } from "../../domain/scores/score.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { scoresOfRun } from "../../evaluation/read/scores-of-run.ts";
import { JsonArray } from "../../http/json-array.ts";
import type { PageReply, Paging } from "../../http/paging.ts";
import type { Database } from "../../store/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { scoreMarks, type Marked } from "../../store/scores/stale/marked.ts";
import { runScores } from "../../store/scores/of-run.ts";

/** What of a request says which scores are asked for. */
interface Asked {
  readonly project: { readonly id: string };
  readonly params: { readonly run_id: string };
  readonly paging: Paging;
}

/** Lists the scores of a run, newest first: all of them, or a page when one is asked for. */
export const listRunScores = <S extends Score>(database: Database, kind: ScoreKind<S>) => {
  const [runs, scores] = [runStore(database), runScores(database, kind)];
  const marks = scoreMarks(database, kind);

  return async ({ params, project, paging }: Asked): Promise<JsonArray | PageReply<Marked<S>>> => {
    const stored = await findRun(runs, project.id, params.run_id);
    const all = scoresOfRun(stored, runs, scores);
    if (!paging.isAsked) return new JsonArray(marks.each(project.id, all));
    const { items, total, last } = await pageOf(all, paging, ({ created_at, id }) => ({ key: created_at, id }));
    return paging.page(await marks.all(project.id, items), total, last);
  };
};
