import { automatedScoreId } from "../../domain/scores/automated-score.ts";
import type { Score } from "../../domain/scores/score.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import type { RunScores } from "../../store/scores/of-run.ts";
import { pairState } from "../../domain/runs/pair-bits.ts";
import type { RunTarget } from "../../domain/runs/run.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** Targets of a run with failed pairs, and the names of all failed metrics. */
export interface FailedTargets {
  readonly metrics: readonly string[];
  readonly targets: readonly RunTarget[];
}

/** True if a failed pair must still be judged, that is, its score was neither edited nor deleted since. */
const isUnresolved = (score: Score | undefined, { scoreless = true }: Slice): boolean =>
  score === undefined ? scoreless : score.status === "FAILED";

/**
 * Returns the failed pairs of a run in the run's order, including those of missing targets. A pair whose score a user has
 * edited or deleted since counts as settled.
 */
export const failedTargets = async (
  { run, attempt }: StoredRun,
  runs: Pick<Runs, "slices">,
  scores: Pick<RunScores<Score>, "read">,
): Promise<FailedTargets> => {
  const { projectId, id, metrics } = run.order;
  const failed: { readonly id: string; readonly names: readonly string[]; readonly traces: number }[] = [];
  for (const { slice } of await runs.slices(projectId, id, attempt)) {
    const stateOf = (target: number, metric: number) =>
      pairState(slice.bits, metrics.length, target * metrics.length + metric);
    const ids = slice.targets.flatMap((name, target) =>
      metrics.flatMap((metric, position) =>
        stateOf(target, position) === "failed" ? [automatedScoreId(id, name, metric)] : [],
      ),
    );
    const scoresById = new Map((await scores.read(projectId, ids)).map((score) => [score.id, score]));
    for (const [target, name] of slice.targets.entries()) {
      const names = metrics.filter((metric, position) => {
        const state = stateOf(target, position);
        if (state === "failed") return isUnresolved(scoresById.get(automatedScoreId(id, name, metric)), slice);
        return state === "missing";
      });
      if (names.length > 0) failed.push({ id: name, names, traces: slice.traces[target] ?? 0 });
    }
  }
  const failedMetrics = [...new Set(failed.flatMap(({ names }) => names))].toSorted();
  return {
    metrics: failedMetrics,
    targets: failed.map(({ id: target, names, traces }) => ({
      id: target,
      metrics: names.length === failedMetrics.length ? null : names.map((name) => failedMetrics.indexOf(name)),
      traces,
    })),
  };
};
