import { addUsage, type JudgeUsage } from "../../domain/runs/judge-usage.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { awaitAll, semaphore } from "../../async/concurrency.ts";
import type { CommitGroup } from "./commit-group.ts";
import { commitReserve, maxDeferrals, startReserve } from "./retry-policy.ts";
import type { SliceBudget } from "./slice-budget.ts";
import { usageOf } from "./settled-pairs.ts";
import type { DeferredVerdict, TargetEvaluator } from "./target-work.ts";

/** Pairs of one target that a delivery left unsettled, and the verdict with the reason. */
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
}

/** Output and limits of one delivery of a slice. */
interface DeliveryLimits {
  readonly group: CommitGroup;
  /** True if no further judgement may start: the lease is lost, or the fair-share turn is over. */
  readonly isStopped: () => boolean;
  readonly budget: Pick<SliceBudget, "judgeBudget" | "shortage">;
  /** End of the time for this delivery, epoch milliseconds. */
  readonly deadline: number;
  /** Maximum number of concurrent judge calls. */
  readonly calls: number;
  readonly now: () => number;
}

/** Judges the unsettled pairs of a slice, as far as time, budget and providers allow. All outcomes are committed when it returns. */
export const judgeSlice = async (
  evaluator: TargetEvaluator,
  order: RunOrder,
  { slice }: StoredSlice,
  { group, isStopped, budget, deadline, calls: maxCalls, now }: DeliveryLimits,
): Promise<Remainder> => {
  const [deferred, unfunded]: [Deferral[], Deferral[]] = [[], []];
  let postponedUntil = 0;
  const calls = semaphore(maxCalls);
  const targetSlots = semaphore(evaluator.maxConcurrentTargets ?? maxCalls);
  const canStart = (): boolean =>
    !group.failed &&
    !isStopped() &&
    budget.shortage() === null &&
    deferred.length < maxDeferrals &&
    now() + startReserve < deadline;
  const targets = slice.targets.map((_, target) =>
    targetSlots(() =>
      evaluator.evaluate({
        order,
        slice,
        target,
        calls,
        deadline: deadline - commitReserve,
        canStart,
        budget: budget.judgeBudget,
        settle: (outcome) => group.add(outcome),
        defer: (pairs, verdict) => (verdict.unfunded ? unfunded : deferred).push({ target, pairs, verdict }),
        postpone: (until) => {
          postponedUntil = Math.max(postponedUntil, until);
        },
      }),
    ),
  );
  try {
    await awaitAll(targets);
  } finally {
    // Finished judgements are paid for, so they are committed even if another target failed.
    await group.drain();
  }
  return { deferred, unfunded, postponedUntil };
};

/** Returns the judge usage of a slice, including calls for deferred pairs. */
export const deferredUsage = ({ slice }: StoredSlice, { deferred, unfunded }: Remainder): JudgeUsage =>
  [...deferred, ...unfunded].map(({ verdict }) => usageOf(verdict.metadata)).reduce(addUsage, slice.usage);
