import type { TraceScore } from "../../domain/scores/score.ts";
import type { Database } from "../../dynamo/database.ts";
import { traceScoreKind } from "./kind.ts";
import { scoreList, type ScoreLists } from "./list.ts";
import { traceReader } from "../traces/reader.ts";

/** Lists of traces' scores. Scores of a deleted trace are hidden at once, before they are removed. */
export const traceScoreList = (database: Database, now: () => number = Date.now): ScoreLists<TraceScore> => {
  const list = scoreList(database, traceScoreKind, now);
  const traces = traceReader(database, now);

  return {
    page: async (project, filter, limit, offset, after, sorting) => {
      const located = filter.target_id === undefined ? undefined : await traces.locate(project, filter.target_id);
      if (located === null) return { items: [], total: 0, last: null };
      return await list.page(
        project,
        { ...filter, incarnation: located?.row.incarnation },
        limit,
        offset,
        after,
        sorting,
      );
    },
    ofTarget: async function* (project, filter) {
      const located = await traces.locate(project, filter.target_id);
      if (located !== null) yield* list.ofTarget(project, { ...filter, incarnation: located.row.incarnation });
    },
  };
};
