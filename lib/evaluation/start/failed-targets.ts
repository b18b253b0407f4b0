import { automatedScoreId } from "../../domain/scores/automated-score.ts";
import type { Score } from "../../domain/scores/score.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import type { RunScores } from "../../store/scores/of-run.ts";
import { pairState } from "../../domain/runs/pair-bits.ts";
import type { RunTarget } from "../../domain/runs/run.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** The targets of a run that has failed pairs, and the metrics those are of, by name. */
export interface FailedTargets {
  readonly metrics: readonly string[];
  readonly targets: readonly RunTarget[];
}

/** Whether a failed pair is still to be judged: nobody has edited or deleted its score. */
const isOpen = (score: Score | undefined, { scoreless = true }: Slice): boolean =>
  score === undefined ? scoreless : score.status === "FAILED";

/**
 * What of a run failed, missing targets included, in the run's order. A pair whose score a person has edited or deleted since is
 * settled.
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
    const found = new Map((await scores.read(projectId, ids)).map((score) => [score.id, score]));
    for (const [target, name] of slice.targets.entries()) {
      const names = metrics.filter((metric, position) => {
        const state = stateOf(target, position);
        if (state === "failed") return isOpen(found.get(automatedScoreId(id, name, metric)), slice);
        return state === "missing";
      });
      if (names.length > 0) failed.push({ id: name, names, traces: slice.traces[target] ?? 0 });
    }
  }
  const wanted = [...new Set(failed.flatMap(({ names }) => names))].toSorted();
  return {
    metrics: wanted,
    targets: failed.map(({ id: target, names, traces }) => ({
      id: target,
      metrics: names.length === wanted.length ? null : names.map((name) => wanted.indexOf(name)),
      traces,
    })),
  };
};
