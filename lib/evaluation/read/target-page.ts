import { automatedScoreId } from "../../domain/scores/automated-score.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ReasonCode } from "../../domain/scores/reason-codes.ts";
import type { Score } from "../../domain/scores/score.ts";
import { progressOf, type TargetProgress } from "../../domain/runs/target-progress.ts";
import { targetsPerSlice } from "../../domain/runs/slice.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { RunScores } from "../../store/scores/of-run.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** A target of a run, how far it is, and why which of its metrics failed. */
export interface ListedTarget {
  readonly progress: TargetProgress;
  /** By metric: a reason's code; null when nobody knows any more. */
  readonly reasons: ReadonlyMap<string, string | null>;
  /** Whether it has changed since it was judged, by the first of its metrics that has a score; null: not known. */
  readonly stale: boolean | null;
  /** How often a worker has taken up its slice. */
  readonly attempts: number;
  /** What its slice waits for, in words for a user; null when for nothing but a worker. */
  readonly waitingFor: string | null;
}

const codeOf = ({ code }: JsonObject): string | null => (typeof code === "string" ? code : null);

/** Some targets of a run in the order in which they were frozen; only the slices they lie in are read. */
export const targetPage = async (
  stored: StoredRun,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  runs: Pick<Runs, "slices">,
  scores: Pick<RunScores<Score>, "marked">,
  now: number,
): Promise<readonly ListedTarget[]> => {
  const { order } = stored.run;
  if (offset >= order.total) return [];
  const size = targetsPerSlice(order);
  const first = Math.floor(offset / size);
  const last = Math.floor((Math.min(offset + limit, order.total) - 1) / size);
  const slices = await runs.slices(order.projectId, order.id, stored.attempt, [first, last]);
  const targets = slices
    .flatMap(({ slice, held, until, epoch, waiting }) =>
      progressOf(order, slice, held && until > now).map((progress) => ({
        progress,
        attempts: epoch,
        waitingFor: progress.state === "waiting" ? waiting : null,
      })),
    )
    .slice(offset - first * size, offset - first * size + limit);

  const failed = targets.flatMap(({ progress: { id, metrics } }) =>
    metrics
      .filter(({ state }) => state === "failed")
      .map(({ name }) => ({ name, id, score: automatedScoreId(order.id, id, name) })),
  );
  const judged = targets.flatMap(({ progress: { id, metrics } }) => {
    const first = metrics.find(({ state }) => state === "settled");
    return first === undefined ? [] : [automatedScoreId(order.id, id, first.name)];
  });
  const read = await scores.marked(order.projectId, [...failed.map(({ score }) => score), ...judged]);
  const found = new Map(read.map((score) => [score.id, score]));
  const reasonOf = (id: string, name: string): string | null => {
    const score = found.get(automatedScoreId(order.id, id, name));
    if (score !== undefined) return codeOf(score.metadata);
    return stored.run.scored === 0 ? ("run_failed" satisfies ReasonCode) : null;
  };
  /** A failed pair whose score somebody has edited since is settled. */
  const asEdited = ({ id, state, metrics }: TargetProgress): TargetProgress => {
    const seen = metrics.map((metric) => {
      const score = found.get(automatedScoreId(order.id, id, metric.name));
      return metric.state === "failed" && score?.status === "SUCCESS"
        ? { name: metric.name, state: "settled" as const }
        : metric;
    });
    const isFailed = seen.some((metric) => metric.state === "failed");
    return { id, state: state === "failed" && !isFailed ? "settled" : state, metrics: seen };
  };
  return targets.map(({ attempts, waitingFor, progress: known }) => {
    const progress = asEdited(known);
    const reasons = progress.metrics.flatMap(({ name, state }): [string, string | null][] => {
      if (state === "not_found") return [[name, "target_not_found" satisfies ReasonCode]];
      return state === "failed" ? [[name, reasonOf(progress.id, name)]] : [];
    });
    const stale = progress.metrics.flatMap(
      ({ name }) => found.get(automatedScoreId(order.id, progress.id, name))?.stale ?? [],
    );
    return { progress, attempts, waitingFor, stale: stale[0] ?? null, reasons: new Map(reasons) };
  });
};
