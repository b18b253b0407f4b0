import type { Score } from "../domain/score.ts";
import { summariesOf, type ScoreSummary } from "../domain/score-summary.ts";
import type { Instant } from "../domain/trace.ts";
import type { Database } from "./database.ts";
import { scoreFigures, type FigureRange } from "./score-figures.ts";
import { idOfOrder, instantOfOrder } from "./score-keys.ts";
import type { ScoreKind } from "./score-kind.ts";
import { scoreReader } from "./score-reader.ts";

/** A summary as it is told: with the time of its newest score. */
type DatedSummary = Omit<ScoreSummary, "latest"> & { readonly latest_score_at: Instant };

/** Summaries of the scores of a kind, one for each name, by name. */
export const scoreSummaries = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
) => {
  const figures = scoreFigures(database, kind, now);
  const reader = scoreReader(database, kind, now);

  return async (project: string, range: FigureRange): Promise<DatedSummary[]> => {
    const summaries = summariesOf(await figures.read(project, range));
    // Sums know the newest score that ever came, which may have been deleted.
    const newest = await reader.read(
      project,
      summaries.map(({ latest }) => idOfOrder(latest)),
    );
    const there = new Set(newest.map(({ id }) => id));
    return await Promise.all(
      summaries.map(async ({ latest, ...summary }) => {
        const isThere = there.has(idOfOrder(latest));
        const left = isThere ? null : await figures.newest(project, { ...range, name: summary.metric_name });
        return { ...summary, latest_score_at: left ?? instantOfOrder(latest) };
      }),
    );
  };
};
