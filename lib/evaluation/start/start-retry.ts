import { invalid, Refusal } from "../../domain/refusal.ts";
import { unrepeated, type Repeat } from "../../domain/repeat.ts";
import { isTerminal, type Run } from "../../domain/runs/run.ts";
import type { Score } from "../../domain/scores/score.ts";
import type { RunScores } from "../../store/scores/of-run.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";
import { failedTargets } from "./failed-targets.ts";
import type { RunStart } from "./start-run.ts";

const longestName = 1024;

/**
 * Starts a run of exactly the pairs of another that failed, but for those that people have settled since.
 *
 * @throws Refusal `conflict` while the other has not ended; `invalid` when nothing of it is left to judge.
 */
export const startRetry = async (
  stored: StoredRun,
  id: string,
  runs: Pick<Runs, "slices">,
  scores: Pick<RunScores<Score>, "read">,
  start: RunStart,
  repeat: Repeat = unrepeated,
): Promise<Run> => {
  const { order, status } = stored.run;
  if (!isTerminal(status)) throw new Refusal({ kind: "conflict", detail: "The run has not ended." });
  const { metrics, targets } = await failedTargets(stored, runs, scores);
  if (targets.length === 0)
    throw invalid(["path", "run_id"], "No failed scores to retry in this run.", "nothing_failed");
  const { projectId, targetType, model, signalWeights, maxCostUsd, tier, sequential } = order;
  return await start.listed(
    {
      id,
      projectId,
      name: `Retry: ${order.name ?? order.id}`.slice(0, longestName),
      targetType,
      metrics,
      model,
      signalWeights,
      maxCostUsd,
      tier,
      sequential,
      retryOf: order.id,
    },
    targets,
    repeat,
  );
};
