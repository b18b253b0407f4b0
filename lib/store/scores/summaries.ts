import type { Score } from "../../domain/scores/score.ts";
import { sumsByName, summaryOf, type ScoreSummary } from "../../domain/scores/summary.ts";
import type { Database } from "../../dynamo/database.ts";
import { scoreFigures, type FigureRange } from "./figures.ts";
import { idOfOrder, instantOfOrder } from "./keys.ts";
import type { ScoreKind } from "./kind.ts";
import { scoreReader } from "./reader.ts";

/** Summaries of the scores of one kind, one per name, sorted by name. */
export const scoreSummaries = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
) => {
  const figures = scoreFigures(database, kind, now);
  const reader = scoreReader(database, kind, now);

  return async (project: string, range: FigureRange): Promise<ScoreSummary[]> => {
    const sums = sumsByName(await figures.read(project, range));
    // A sum contains the newest score ever created, which may be deleted by now.
    const newest = await reader.read(
      project,
      sums.map(([, { latest }]) => idOfOrder(latest)),
    );
    const existingIds = new Set(newest.map(({ id }) => id));
    return await Promise.all(
      sums.map(async ([name, sum]) => {
        const newestAt = existingIds.has(idOfOrder(sum.latest))
          ? null
          : await figures.newest(project, { ...range, name });
        return summaryOf(name, sum, newestAt ?? instantOfOrder(sum.latest));
      }),
    );
  };
};
