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
    page: async (project, filter, limit, offset) => {
      const life = filter.target_id === undefined ? undefined : await traces.locate(project, filter.target_id);
      if (life === null) return { items: [], total: 0 };
      return await list.page(project, { ...filter, incarnation: life?.row.incarnation }, limit, offset);
    },
    ofTarget: async function* (project, filter) {
      const life = await traces.locate(project, filter.target_id);
      if (life !== null) yield* list.ofTarget(project, { ...filter, incarnation: life.row.incarnation });
    },
  };
};
