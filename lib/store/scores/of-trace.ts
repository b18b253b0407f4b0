import type { TraceScore } from "../../domain/scores/score.ts";
import type { Database } from "../database.ts";
import { traceScores } from "./kind.ts";
import { scoreList, type ScoreList } from "./list.ts";
import { traceReader } from "../traces/reader.ts";

/** Lists of traces' scores. Those of a trace that was deleted are gone at once, not only when they have been removed. */
export const traceScoreList = (database: Database, now: () => number = Date.now): ScoreList<TraceScore> => {
  const list = scoreList(database, traceScores, now);
  const traces = traceReader(database, now);

  return {
    page: async (project, filter, limit, offset, after, sorting) => {
      const found = filter.target_id === undefined ? undefined : await traces.locate(project, filter.target_id);
      if (found === null) return { items: [], total: 0, last: null };
      return await list.page(
        project,
        { ...filter, incarnation: found?.row.incarnation },
        limit,
        offset,
        after,
        sorting,
      );
    },
    ofTarget: async function* (project, filter) {
      const found = await traces.locate(project, filter.target_id);
      if (found !== null) yield* list.ofTarget(project, { ...filter, incarnation: found.row.incarnation });
    },
  };
};
