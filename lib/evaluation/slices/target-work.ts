import { isSettled } from "../../domain/runs/pair-bits.ts";
import type { JudgeUsage, RunOrder, TargetType } from "../../domain/runs/run.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import { sharedCostShifts } from "../../judge/decision/shared-cost.ts";
import { withExpenses } from "../../judge/verdict/expense-fields.ts";
import type { JudgeBudget } from "../../judge/spending/judge-budget.ts";
import type { TargetJudge } from "../../judge/judge.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import type { Settled, CheckedScore } from "../../store/runs/settled-pairs.ts";
import type { StoredHeldJudgement } from "../../store/runs/held-judgements.ts";
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
  /** First verdicts of a cascade that wait for its second judge; absent without one. */
  readonly heldVerdicts?: HeldVerdicts;
  /** Leaves the target unsettled until an instant, epoch milliseconds, because its data may be incomplete. */
  readonly postpone: (until: number) => void;
}

/** A verdict on one pair. */
export interface PairVerdict {
  readonly pair: number;
  readonly metric: string;
  readonly verdict: Verdict;
  /** US dollars by which the metric's part of the call's cost differs from the cost in the verdict's metadata. */
  readonly costShift: number;
}

/** Results of the first judge on one target that wait for the second one. */
export interface HeldTarget {
  readonly judgements: readonly StoredHeldJudgement[];
  /** Commits the result of one of the pairs. @param usage what the slice has not recorded of its usage. */
  readonly settle: (pair: number, judgement: Judgement, usage: JudgeUsage) => void;
  /** Leaves a pair to the next delivery, because the second judge is unavailable or budget is short. */
  readonly defer: (pair: number, verdict: DeferredVerdict) => void;
  /** Returns the judgement of a second verdict, whose judge is the cascade. */
  readonly judgementOf: (pair: number, verdict: Exclude<Verdict, DeferredVerdict>) => Judgement;
  /**
   * Asks the second judge about some of the pairs.
   *
   * @param canStart true if another judgement may start.
   * @returns its verdicts by pair; none for pairs that it was not asked about, also because the target no longer exists.
   */
  readonly askAgain: (pairs: readonly number[], canStart: () => boolean) => Promise<ReadonlyMap<number, Verdict>>;
}

/** First verdicts of a slice that wait for the second judge. */
export interface HeldVerdicts {
  /** Verdicts that earlier deliveries stored, by their pairs. */
  readonly stored: ReadonlyMap<number, StoredHeldJudgement>;
  /** Keeps verdicts of a target until the pairs to ask the second judge about are selected. */
  readonly add: (target: HeldTarget) => void;
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

/** Creates the outcome of a judged pair. */
export type OutcomeOf = (pair: number, metric: string, verdict: Exclude<Verdict, DeferredVerdict>) => Settled;

/** Judges pairs of a target in one call. @returns their verdicts, in their order. */
export const verdictsOf = async (
  work: TargetWork,
  pairs: readonly number[],
  judge: TargetJudge,
): Promise<readonly PairVerdict[]> => {
  const metrics = pairs.map((pair) => metricOf(work, pair));
  const verdicts = await judgeMetrics(work, metrics, judge);
  const shifts = sharedCostShifts(verdicts);
  return verdicts.map((verdict, index) => ({
    verdict,
    pair: pairs[index] ?? 0,
    metric: metrics[index] ?? "",
    costShift: shifts[index] ?? 0,
  }));
};

const withCostShift = (outcome: Settled, costShift: number): Settled =>
  outcome.kind === "pair" && costShift !== 0 ? { ...outcome, costShift } : outcome;

/**
 * Defers the pairs of one call that cannot be judged now, and settles the others together.
 *
 * @param heldOutcomes what is to be stored of the same call.
 */
export const settleVerdicts = (
  work: Pick<TargetWork, "defer" | "settle">,
  verdicts: readonly PairVerdict[],
  outcomeOf: OutcomeOf,
  heldOutcomes: readonly Settled[] = [],
): void => {
  const deferred = verdicts.flatMap(({ pair, verdict }) => (verdict.kind === "deferred" ? [{ pair, verdict }] : []));
  const [first] = deferred;
  if (first !== undefined) {
    const sources = deferred.map(({ verdict }) => verdict.metadata);
    work.defer(
      deferred.map(({ pair }) => pair),
      { ...first.verdict, metadata: withExpenses(first.verdict.metadata, sources) },
    );
  }
  const settled = verdicts.flatMap(({ pair, metric, verdict, costShift }) =>
    verdict.kind === "deferred" ? [] : [withCostShift(outcomeOf(pair, metric, verdict), costShift)],
  );
  const outcomes = [...settled, ...heldOutcomes];
  if (outcomes.length > 0) work.settle(...outcomes);
};

/** Judges pairs of a target in one call, defers those that cannot be judged now, and settles the others together. */
export const judgePairs = async (
  work: TargetWork,
  pairs: readonly number[],
  judge: TargetJudge,
  outcomeOf: OutcomeOf,
): Promise<void> => settleVerdicts(work, await verdictsOf(work, pairs, judge), outcomeOf);

/** Returns the numbers of the unsettled pairs of a target. */
export const unsettledPairs = ({ order, slice, target }: SliceTarget): number[] =>
  Array.from(order.metrics.keys(), (metric) => target * order.metrics.length + metric).filter(
    (pair) => !isSettled(slice.bits, pair),
  );
