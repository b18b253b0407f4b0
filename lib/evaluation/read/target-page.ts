import { automatedScoreId } from "../../domain/scores/automated-score.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ReasonCode } from "../../domain/scores/reason-codes.ts";
import type { Score } from "../../domain/scores/score.ts";
import { progressOf, type TargetProgress } from "../../domain/runs/target-progress.ts";
import { targetsPerSlice } from "../../domain/runs/slice.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { RunScores } from "../../store/scores/of-run.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** A target of a run with its progress and the failure reasons of its metrics. */
export interface RunTargetEntry {
  readonly progress: TargetProgress;
  /** Reason codes of failed metrics by metric name; null if the reason is no longer known. */
  readonly reasons: ReadonlyMap<string, string | null>;
  /** True if the target has changed since its first settled metric was judged; null if unknown. */
  readonly stale: boolean | null;
  /** Number of times a worker has claimed the target's slice. */
  readonly attempts: number;
  /** Reason why the target's slice waits, as a text for users; null if it waits for a worker only. */
  readonly waitingFor: string | null;
}

const codeOf = ({ code }: JsonObject): string | null => (typeof code === "string" ? code : null);

/** Returns a page of a run's targets in their stored order. Reads only the slices of that page. */
export const targetPage = async (
  storedRun: StoredRun,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  runs: Pick<Runs, "slices">,
  scores: Pick<RunScores<Score>, "readWithStaleness">,
  now: number,
): Promise<readonly RunTargetEntry[]> => {
  const { order } = storedRun.run;
  if (offset >= order.total) return [];
  const size = targetsPerSlice(order);
  const first = Math.floor(offset / size);
  const last = Math.floor((Math.min(offset + limit, order.total) - 1) / size);
  const slices = await runs.slices(order.projectId, order.id, storedRun.attempt, [first, last]);
  const targets = slices
    .flatMap(({ slice, isLeased, until, epoch, waiting }) =>
      progressOf(order, slice, isLeased && until > now).map((progress) => ({
        progress,
        attempts: epoch,
        waitingFor: progress.state === "waiting" ? waiting : null,
      })),
    )
    .slice(offset - first * size, offset - first * size + limit);

  const failedPairs = targets.flatMap(({ progress: { id, metrics } }) =>
    metrics
      .filter(({ state }) => state === "failed")
      .map(({ name }) => ({ name, id, score: automatedScoreId(order.id, id, name) })),
  );
  const judgedScoreIds = targets.flatMap(({ progress: { id, metrics } }) => {
    const first = metrics.find(({ state }) => state === "settled");
    return first === undefined ? [] : [automatedScoreId(order.id, id, first.name)];
  });
  const scoresRead = await scores.readWithStaleness(order.projectId, [
    ...failedPairs.map(({ score }) => score),
    ...judgedScoreIds,
  ]);
  const scoresById = new Map(scoresRead.map((score) => [score.id, score]));
  const reasonOf = (id: string, name: string): string | null => {
    const score = scoresById.get(automatedScoreId(order.id, id, name));
    if (score !== undefined) return codeOf(score.metadata);
    return storedRun.run.scored === 0 ? ("run_failed" satisfies ReasonCode) : null;
  };
  /** Returns a target's progress with failed metrics as settled if their scores were corrected by a user since. */
  const withScoreEdits = ({ id, state, metrics }: TargetProgress): TargetProgress => {
    const currentMetrics = metrics.map((metric) => {
      const score = scoresById.get(automatedScoreId(order.id, id, metric.name));
      return metric.state === "failed" && score?.status === "SUCCESS"
        ? { name: metric.name, state: "settled" as const }
        : metric;
    });
    const isFailed = currentMetrics.some((metric) => metric.state === "failed");
    return { id, state: state === "failed" && !isFailed ? "settled" : state, metrics: currentMetrics };
  };
  return targets.map(({ attempts, waitingFor, progress: storedProgress }) => {
    const progress = withScoreEdits(storedProgress);
    const reasons = progress.metrics.flatMap(({ name, state }): [string, string | null][] => {
      if (state === "not_found") return [[name, "target_not_found" satisfies ReasonCode]];
      return state === "failed" ? [[name, reasonOf(progress.id, name)]] : [];
    });
    const stale = progress.metrics.flatMap(
      ({ name }) => scoresById.get(automatedScoreId(order.id, progress.id, name))?.stale ?? [],
    );
    return { progress, attempts, waitingFor, stale: stale[0] ?? null, reasons: new Map(reasons) };
  });
};
