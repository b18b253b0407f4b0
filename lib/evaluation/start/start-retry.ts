import { invalid, Refusal } from "../../domain/refusal.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { isTerminal, type Run } from "../../domain/runs/run.ts";
import type { Score } from "../../domain/scores/score.ts";
import type { RunScores } from "../../store/scores/of-run.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";
import { failedTargets } from "./failed-targets.ts";
import type { RunStart } from "./start-run.ts";

const maxNameLength = 1024;

/**
 * Starts a run of the failed pairs of another run, except pairs whose scores users have corrected since.
 *
 * @throws Refusal `conflict` while the other run has not ended; `invalid` when it has no failed pairs left.
 */
export const startRetry = async (
  storedRun: StoredRun,
  id: string,
  runs: Pick<Runs, "slices">,
  scores: Pick<RunScores<Score>, "read">,
  start: RunStart,
  idempotency: IdempotencyCheck = noIdempotency,
): Promise<Run> => {
  const { order, status } = storedRun.run;
  if (!isTerminal(status)) throw new Refusal({ kind: "conflict", detail: "The run has not ended." });
  const { metrics, targets } = await failedTargets(storedRun, runs, scores);
  if (targets.length === 0)
    throw invalid(["path", "run_id"], "No failed scores to retry in this run.", "nothing_failed");
  const retriedMonitorId = order.monitorId ?? order.retriedMonitorId;
  const { projectId, targetType, model, judge, signalWeights, maxCostUsd, tier, sequential } = order;
  return await start.startListed(
    {
      id,
      projectId,
      name: `Retry: ${order.name ?? order.id}`.slice(0, maxNameLength),
      targetType,
      metrics,
      model,
      judge,
      signalWeights,
      maxCostUsd,
      tier,
      sequential,
      retryOf: order.id,
      ...(retriedMonitorId !== undefined && { retriedMonitorId }),
    },
    targets,
    idempotency,
  );
};
