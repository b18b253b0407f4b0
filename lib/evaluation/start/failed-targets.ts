import { pairState } from "../../domain/runs/pair-bits.ts";
import type { RunTarget } from "../../domain/runs/run.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** The targets of a run that has failed pairs, and the metrics those are of, by name. */
export interface FailedTargets {
  readonly metrics: readonly string[];
  readonly targets: readonly RunTarget[];
}

/** What of a run failed, missing targets included, in the run's order. */
export const failedTargets = async (
  { run, attempt }: StoredRun,
  runs: Pick<Runs, "slices">,
): Promise<FailedTargets> => {
  const { projectId, id, metrics } = run.order;
  const failed: { readonly id: string; readonly names: readonly string[]; readonly traces: number }[] = [];
  for (const { slice } of await runs.slices(projectId, id, attempt)) {
    for (const [target, name] of slice.targets.entries()) {
      const names = metrics.filter((_, metric) => {
        const state = pairState(slice.bits, metrics.length, target * metrics.length + metric);
        return state === "failed" || state === "missing";
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
