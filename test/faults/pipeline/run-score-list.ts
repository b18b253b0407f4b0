import type { RunOrder } from "../../../lib/domain/runs/run.ts";
import type { Score } from "../../../lib/domain/scores/score.ts";
import { everyScoreOfRun } from "../../../lib/evaluation/read/scores-of-run.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import type { Runs } from "../../../lib/store/runs/runs.ts";
import { sessionScoreKind, traceScoreKind } from "../../../lib/store/scores/kind.ts";

/** A score with the id of its target, a trace or a session. */
export interface TargetScore extends Score {
  readonly target: string;
}

/** Scores of a run as listed by the endpoint. */
export const runScoreList = async (
  database: Database,
  runs: Runs,
  order: RunOrder,
): Promise<readonly TargetScore[]> => {
  const storedRun = await runs.read(order.projectId, order.id);
  const scores: TargetScore[] = [];
  if (storedRun === null) return scores;
  if (order.targetType === "TRACE") {
    for await (const score of everyScoreOfRun(storedRun, runs, runScores(database, traceScoreKind)))
      scores.push({ ...score, target: score.trace_id });
  } else {
    for await (const score of everyScoreOfRun(storedRun, runs, runScores(database, sessionScoreKind)))
      scores.push({ ...score, target: score.session_id });
  }
  return scores;
};

/** Ids of all stored scores of a run, including those of its sessions' traces. */
export const everyScoreId = async (database: Database, { projectId, id }: RunOrder): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  for await (const score of runScores(database, traceScoreKind).indexed(projectId, id)) ids.add(`trace ${score.id}`);
  for await (const score of runScores(database, sessionScoreKind).indexed(projectId, id))
    ids.add(`session ${score.id}`);
  return ids;
};
