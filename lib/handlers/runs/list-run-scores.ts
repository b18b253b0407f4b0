import { pageOf, type Page } from "../../domain/page.ts";
import type { Score } from "../../domain/scores/score.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { scoresOfRun } from "../../evaluation/read/scores-of-run.ts";
import { JsonArray } from "../../http/json-array.ts";
import type { Database } from "../../store/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { scoreMarks, type Marked } from "../../store/scores/stale/marked.ts";
import { runScores } from "../../store/scores/of-run.ts";

/** What of a request says which scores are asked for. */
interface Asked {
  readonly project: { readonly id: string };
  readonly params: { readonly run_id: string };
  readonly query: { readonly limit?: number | undefined; readonly offset?: number | undefined };
}

/** Lists the scores of a run, newest first: all of them, or a page when one is asked for. */
export const listRunScores = <S extends Score>(database: Database, kind: ScoreKind<S>) => {
  const [runs, scores] = [runStore(database), runScores(database, kind)];
  const marks = scoreMarks(database, kind);

  return async ({ params, project, query }: Asked): Promise<JsonArray | Page<Marked<S>>> => {
    const stored = await findRun(runs, project.id, params.run_id);
    const all = scoresOfRun(stored, runs, scores);
    if (query.limit === undefined && query.offset === undefined) {
      return new JsonArray(marks.each(project.id, all));
    }
    const page = await pageOf(all, query.limit ?? 50, query.offset ?? 0);
    return { ...page, items: await marks.all(project.id, page.items) };
  };
};
