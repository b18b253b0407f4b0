import { pageOf } from "../../domain/page.ts";
import type { Score } from "../../domain/scores/score.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { everyScoreOfRun } from "../../evaluation/read/scores-of-run.ts";
import { JsonArray } from "../../http/json-array.ts";
import type { PageReply, Paging } from "../../http/paging.ts";
import type { Database } from "../../dynamo/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { stalenessReader, type WithStaleness } from "../../store/scores/stale/with-staleness.ts";
import { runScores } from "../../store/scores/of-run.ts";

/** Parts of a request that lists the scores of a run. */
interface RunScoresRequest {
  readonly project: { readonly id: string };
  readonly params: { readonly run_id: string };
  readonly paging: Paging;
}

/** Creates the handler that lists the scores of a run, newest first: a page, or all scores as a streamed array without paging parameters. */
export const listRunScores = <S extends Score>(database: Database, kind: ScoreKind<S>) => {
  const [runs, scores] = [runStore(database), runScores(database, kind)];
  const staleness = stalenessReader(database, kind);

  return async ({ params, project, paging }: RunScoresRequest): Promise<JsonArray | PageReply<WithStaleness<S>>> => {
    const storedRun = await findRun(runs, project.id, params.run_id);
    const allScores = everyScoreOfRun(storedRun, runs, scores);
    if (!paging.isPaged) return new JsonArray(staleness.each(project.id, allScores));
    const { items, total, last } = await pageOf(allScores, paging, ({ created_at, id }) => ({ key: created_at, id }));
    return paging.page(await staleness.all(project.id, items), total, last);
  };
};
