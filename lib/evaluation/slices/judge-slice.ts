import { awaitAll, semaphore } from "../../async/concurrency.ts";
import { metricReference } from "../../domain/metrics/custom/reference.ts";
import { type RunOrder, addUsage, type JudgeUsage } from "../../domain/runs/run.ts";
import { isSettled } from "../../domain/runs/pair-bits.ts";
import { countsOfSlice, type Slice } from "../../domain/runs/slice.ts";
import type { FindCustomMetric } from "../../judge/target-judge.ts";
import type { StoredHeldJudgement } from "../../store/runs/held-judgements.ts";
import type { Settled } from "../../store/runs/settled-pairs.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import type { CommitGroup } from "./commit-group.ts";
import { commitReserve, maxDeferrals, startReserve } from "./retry-policy.ts";
import { modelIn, usageOf } from "./settled-pairs.ts";
import { isLasting, type SliceBudget } from "./slice-budget.ts";
import { escalate } from "./escalate.ts";
import type { DeferredVerdict, HeldTarget, HeldVerdicts, TargetEvaluator } from "./target-work.ts";

type JudgedRun = Pick<RunOrder, "projectId" | "metrics" | "model" | "resolvedModel" | "judge">;

/**
 * Returns the models that judge a run: the models of the run, or, if the run names none, the models of its metrics too. Check
 * and aggregate metrics need no model.
 */
export const judgingModels =
  (findCustomMetric: FindCustomMetric) =>
  async ({ projectId, metrics, model, resolvedModel, judge }: JudgedRun): Promise<readonly string[]> => {
    const models = new Set<string>();
    for (const metric of metrics) {
      const customMetric = metricReference(metric).version === null ? null : await findCustomMetric(projectId, metric);
      if (customMetric?.method === "check" || customMetric?.method === "fold") continue;
      const metricModel = customMetric?.method === "judge" && model === null ? customMetric.model : null;
      models.add(metricModel ?? resolvedModel);
      if (judge !== undefined) models.add(judge.escalate.to);
    }
    return [...models];
  };

/** Pairs of one target that a delivery left unsettled, and the verdict with the reason and with what they cost together. */
export interface Deferral {
  readonly target: number;
  readonly pairs: readonly number[];
  readonly verdict: DeferredVerdict;
}

/** Pairs and targets that a delivery left unsettled on purpose. */
export interface Remainder {
  /** Pairs that wait for a provider. */
  readonly deferred: readonly Deferral[];
  /** Pairs that wait for budget. */
  readonly unfunded: readonly Deferral[];
  /** Earliest instant for all postponed targets, epoch milliseconds; 0 if none was postponed. */
  readonly postponedUntil: number;
  /** Instants of the latest answer about a pair by model, epoch milliseconds. */
  readonly answeredAt: ReadonlyMap<string, number>;
}

/** Names of the models whose answers are among outcomes. */
const modelsOf = (outcomes: readonly Settled[]): readonly string[] =>
  outcomes.flatMap(({ checkedScore, usage }) =>
    checkedScore?.score.status === "SUCCESS" && usage.calls > 0 ? modelIn(checkedScore.score.metadata) : [],
  );

/** Output and limits of one delivery of a slice. */
interface DeliveryLimits {
  readonly group: CommitGroup;
  /** True if no further judgement may start: the lease is lost, or the fair-share turn is over. */
  readonly isStopped: () => boolean;
  readonly budget: Pick<SliceBudget, "judgeBudget" | "isExhausted" | "shortage">;
  /** First verdicts that wait for the second judge, by their pairs; those of this delivery are added. */
  readonly heldJudgements: Map<number, StoredHeldJudgement>;
  /** End of the time for this delivery, epoch milliseconds. */
  readonly deadline: number;
  /** Maximum number of concurrent judge calls. */
  readonly calls: number;
  readonly now: () => number;
}

/**
 * Returns the targets with unsettled pairs in the order in which they are begun. Where one call is made at a time, a target whose calls
 * take all the time would keep the others from being asked: after deliveries without progress another one is first.
 *
 * @param fruitless deliveries without progress, this one included.
 */
const targetsInTurn = ({ targets, bits }: Slice, metrics: number, fruitless: number): readonly number[] => {
  const isOpen = (target: number): boolean =>
    Array.from({ length: metrics }).some((_, metric) => !isSettled(bits, target * metrics + metric));
  const open = [...targets.keys()].filter(isOpen);
  const first = open.length === 0 ? 0 : Math.max(0, fruitless - 1) % open.length;
  return [...open.slice(first), ...open.slice(0, first)];
};

/** Judges the unsettled pairs of a slice, as far as time, budget and providers allow. All outcomes are committed when it returns. */
export const judgeSlice = async (
  evaluator: TargetEvaluator,
  order: RunOrder,
  { slice, fruitless }: StoredSlice,
  { group, isStopped, budget, heldJudgements, deadline, calls: maxCalls, now }: DeliveryLimits,
): Promise<Remainder> => {
  const [deferred, unfunded]: [Deferral[], Deferral[]] = [[], []];
  let [postponedUntil, settledPairs] = [0, 0];
  const answeredAt = new Map<string, number>();
  const calls = semaphore(maxCalls);
  const targetSlots = semaphore(evaluator.maxConcurrentTargets ?? maxCalls);
  const canStart = (): boolean =>
    !group.failed &&
    !isStopped() &&
    !budget.isExhausted() &&
    deferred.length < maxDeferrals &&
    now() + startReserve < deadline;
  const cascade = order.judge;
  const heldTargets: HeldTarget[] = [];
  const heldVerdicts: HeldVerdicts = {
    stored: heldJudgements,
    add: (target) => {
      heldTargets.push(target);
      for (const judgement of target.judgements) heldJudgements.set(judgement.pair, judgement);
    },
  };
  // The second judge has the other half of the time.
  const firstDeadline = cascade === undefined ? deadline : now() + (deadline - now()) / 2;
  const targets = targetsInTurn(slice, order.metrics.length, fruitless).map((target) =>
    targetSlots(() =>
      evaluator.evaluate({
        order,
        slice,
        target,
        calls,
        deadline: deadline - commitReserve,
        canStart: () => canStart() && now() < firstDeadline,
        budget: budget.judgeBudget,
        settle: (...outcomes) => {
          settledPairs += outcomes.filter(({ kind }) => kind === "pair").length;
          for (const model of modelsOf(outcomes)) answeredAt.set(model, now());
          group.add(...outcomes);
        },
        defer: (pairs, verdict) => (verdict.unfunded ? unfunded : deferred).push({ target, pairs, verdict }),
        ...(cascade !== undefined && { heldVerdicts }),
        postpone: (until) => {
          postponedUntil = Math.max(postponedUntil, until);
        },
      }),
    ),
  );
  try {
    await awaitAll(targets);
    if (cascade !== undefined) {
      // First verdicts are paid for, so they are stored before the second judge is asked.
      await group.drain();
      const { scored, failed } = countsOfSlice(slice, order.metrics.length);
      await escalate({
        targets: heldTargets,
        rule: cascade.escalate,
        settled: scored + failed + settledPairs,
        escalated: slice.usage.escalated ?? 0,
        maxConcurrent: maxCalls,
        canStart,
        isUnfundable: () => isLasting(budget.shortage()),
      });
    }
  } finally {
    // Finished judgements are paid for, so they are committed even if another target failed.
    await group.drain();
  }
  return { deferred, unfunded, postponedUntil, answeredAt };
};

/** Returns the judge usage of a slice, including calls for deferred pairs. */
export const deferredUsage = (
  { slice }: StoredSlice,
  { deferred, unfunded }: Pick<Remainder, "deferred" | "unfunded">,
): JudgeUsage =>
  [...deferred, ...unfunded].map(({ verdict }) => usageOf(verdict.metadata)).reduce(addUsage, slice.usage);
