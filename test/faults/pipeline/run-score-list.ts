import type { RunOrder } from "../../../lib/domain/runs/run.ts";
import type { Score } from "../../../lib/domain/scores/score.ts";
import { scoresOfRun } from "../../../lib/evaluation/read/scores-of-run.ts";
import type { Database } from "../../../lib/store/database.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import type { Runs } from "../../../lib/store/runs/runs.ts";
import { sessionScores, traceScores } from "../../../lib/store/scores/kind.ts";

/** A score with what it is of, a trace or a session. */
export interface TargetScore extends Score {
  readonly target: string;
}

/** The scores of a run as its endpoint lists them. */
export const runScoreList = async (
  database: Database,
  runs: Runs,
  order: RunOrder,
): Promise<readonly TargetScore[]> => {
  const stored = await runs.read(order.projectId, order.id);
  const found: TargetScore[] = [];
  if (stored === null) return found;
  if (order.targetType === "TRACE") {
    for await (const score of scoresOfRun(stored, runs, runScores(database, traceScores)))
      found.push({ ...score, target: score.trace_id });
  } else {
    for await (const score of scoresOfRun(stored, runs, runScores(database, sessionScores)))
      found.push({ ...score, target: score.session_id });
  }
  return found;
};

/** Ids of everything that is stored of a run's scores, those of its sessions' traces included. */
export const everyScoreId = async (database: Database, { projectId, id }: RunOrder): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  for await (const score of runScores(database, traceScores).indexed(projectId, id)) ids.add(`trace ${score.id}`);
  for await (const score of runScores(database, sessionScores).indexed(projectId, id)) ids.add(`session ${score.id}`);
  return ids;
};
