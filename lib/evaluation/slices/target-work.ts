import { isSettled } from "../../domain/runs/pair-bits.ts";
import type { RunOrder, TargetType } from "../../domain/runs/run.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import type { JudgeBudget } from "../../judge/spending/judge-budget.ts";
import type { TargetJudge } from "../../judge/judge.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import type { Settled, CheckedScore } from "../../store/runs/settled-pairs.ts";
import type { Judgement } from "../../domain/scores/automated-score.ts";
import type { Semaphore } from "../../async/concurrency.ts";

/** Verdict of a judgement that is not possible now: the provider is unavailable, or budget is short. */
export type DeferredVerdict = Extract<Verdict, { kind: "deferred" }>;

/** A target of a run slice, by its position. */
export interface SliceTarget {
  readonly order: RunOrder;
  readonly slice: Slice;
  /** Position of the target in the slice. */
  readonly target: number;
}

/** Context for the evaluation of one target of a slice. */
export interface TargetWork extends SliceTarget {
  /** Semaphore of the judge calls of the slice. */
  readonly calls: Semaphore;
  /** End of all judge calls at the latest, epoch milliseconds. */
  readonly deadline: number;
  /** True if another judgement may start. */
  readonly canStart: () => boolean;
  /** Budget that judge calls are charged to. */
  readonly budget: JudgeBudget;
  /** Commits outcomes; those of one call are given together, and stored together. */
  readonly settle: (...outcomes: readonly Settled[]) => void;
  /** Leaves pairs unsettled because the provider is unavailable or budget is short. */
  readonly defer: (pairs: readonly number[], verdict: DeferredVerdict) => void;
  /** Leaves the target unsettled until an instant, epoch milliseconds, because its data may be incomplete. */
  readonly postpone: (until: number) => void;
}

/** Evaluates targets of one type and creates their scores. */
export interface TargetEvaluator {
  /** Targets of one slice in work concurrently; undefined: as many as concurrent judge calls. */
  readonly maxConcurrentTargets?: number;
  evaluate(work: TargetWork): Promise<void>;
  /** Returns a scorer of a target without judging it; null if the target no longer exists. */
  scorer(target: SliceTarget): Promise<Scorer | null>;
}

/** Evaluators by target type. */
export type TargetEvaluators = Readonly<Record<TargetType, TargetEvaluator>>;

/** Creates the score of a target from a judgement of a metric. */
export type Scorer<S extends CheckedScore["score"] = CheckedScore["score"]> = (
  metric: string,
  judgement: Judgement,
) => CheckedScore & { readonly score: S };

/** Returns the id of the trace or session that is a target. */
export const targetId = ({ slice, target }: SliceTarget): string => slice.targets[target] ?? "";

/** Returns the name of the metric of a pair. */
export const metricOf = ({ order, target }: SliceTarget, pair: number): string =>
  order.metrics[pair - target * order.metrics.length] ?? "";

/**
 * Groups pairs of a target whose metrics one call judges; each pair is a group of its own where the judge shares no calls.
 *
 * @returns groups of pair numbers, in the order in which they are to be asked.
 */
export const pairGroups = async (
  target: SliceTarget,
  pairs: readonly number[],
  { shared }: TargetJudge,
): Promise<readonly (readonly number[])[]> => {
  if (shared === undefined || pairs.length < 2) return pairs.map((pair) => [pair]);
  const pairByMetric = new Map(pairs.map((pair) => [metricOf(target, pair), pair]));
  const groups = await shared.groupsOf([...pairByMetric.keys()]);
  return groups.map((names) => names.flatMap((name) => pairByMetric.get(name) ?? []));
};

/** Judges the metrics of one group, in one call if they are several. @returns their verdicts, in their order. */
export const judgeMetrics = async (
  { deadline, budget }: Pick<TargetWork, "deadline" | "budget">,
  metrics: readonly string[],
  judge: TargetJudge,
): Promise<readonly Verdict[]> => {
  const [metric = ""] = metrics;
  return judge.shared === undefined || metrics.length < 2
    ? [await judge.score(metric, deadline, budget)]
    : await judge.shared.scoreAll(metrics, deadline, budget);
};

/**
 * Judges pairs of a target in one call, defers those that cannot be judged now, and settles the others together.
 *
 * @param outcomeOf creates the outcome of a judged pair.
 */
export const judgePairs = async (
  work: TargetWork,
  pairs: readonly number[],
  judge: TargetJudge,
  outcomeOf: (pair: number, metric: string, verdict: Exclude<Verdict, DeferredVerdict>) => Settled,
): Promise<void> => {
  const metrics = pairs.map((pair) => metricOf(work, pair));
  const verdicts = await judgeMetrics(work, metrics, judge);
  const judged = verdicts.map((verdict, index) => ({ verdict, pair: pairs[index] ?? 0, metric: metrics[index] ?? "" }));
  const deferred = judged.filter(({ verdict }) => verdict.kind === "deferred");
  const first = deferred[0]?.verdict;
  // The first of them has the cost of the call.
  if (first?.kind === "deferred")
    work.defer(
      deferred.map(({ pair }) => pair),
      first,
    );
  const outcomes = judged.flatMap(({ verdict, ...pair }) =>
    verdict.kind === "deferred" ? [] : [outcomeOf(pair.pair, pair.metric, verdict)],
  );
  if (outcomes.length > 0) work.settle(...outcomes);
};

/** Returns the numbers of the unsettled pairs of a target. */
export const unsettledPairs = ({ order, slice, target }: SliceTarget): number[] =>
  Array.from(order.metrics.keys(), (metric) => target * order.metrics.length + metric).filter(
    (pair) => !isSettled(slice.bits, pair),
  );
