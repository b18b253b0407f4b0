import { addUsage, type JudgeUsage } from "../../domain/runs/judge-usage.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { allEnded } from "../../async/all-ended.ts";
import type { CommitGroup } from "./commit-group.ts";
import { commitReserve, maxDeferrals, startReserve } from "./patience.ts";
import { semaphore } from "../../async/semaphore.ts";
import type { SliceBudget } from "./slice-budget.ts";
import { usageOf } from "./settled-pairs.ts";
import type { Deferred, TargetKind } from "./target-work.ts";

/** Pairs of one target that wait for a provider. */
export interface Deferral {
  readonly target: number;
  readonly pairs: readonly number[];
  readonly verdict: Deferred;
}

/** What a delivery left unsettled on purpose. */
export interface Remainder {
  readonly deferred: readonly Deferral[];
  /** For want of money. */
  readonly unfunded: readonly Deferral[];
  /** Epoch milliseconds before which it was too early for a target; 0: for none. */
  readonly postponed: number;
}

/** One delivery of a slice: where its results go, and what limits it. */
interface Delivery {
  readonly group: CommitGroup;
  /** Whether nothing more is to be begun: its lease was lost, or its turn is over. */
  readonly over: () => boolean;
  readonly budget: Pick<SliceBudget, "purse" | "shortage">;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Judge calls at a time. */
  readonly calls: number;
  readonly now: () => number;
}

/** Judges the unsettled pairs of a slice, as far as time and providers allow. What was judged is committed when it returns. */
export const judgeSlice = async (
  kind: TargetKind,
  order: RunOrder,
  { slice }: StoredSlice,
  { group, over, budget, deadline, calls: places, now }: Delivery,
): Promise<Remainder> => {
  const [deferred, unfunded]: [Deferral[], Deferral[]] = [[], []];
  let postponed = 0;
  const calls = semaphore(places);
  const lanes = semaphore(kind.lanes ?? places);
  const mayStart = (): boolean =>
    !group.failed &&
    !over() &&
    budget.shortage() === null &&
    deferred.length < maxDeferrals &&
    now() + startReserve < deadline;
  const targets = slice.targets.map((_, target) =>
    lanes(() =>
      kind.evaluate({
        order,
        slice,
        target,
        calls,
        deadline: deadline - commitReserve,
        mayStart,
        purse: budget.purse,
        settle: (settled) => group.add(settled),
        defer: (pairs, verdict) => (verdict.unfunded ? unfunded : deferred).push({ target, pairs, verdict }),
        postpone: (until) => {
          postponed = Math.max(postponed, until);
        },
      }),
    ),
  );
  try {
    await allEnded(targets);
  } finally {
    // What was judged has been paid for, whatever became of the others.
    await group.drain();
  }
  return { deferred, unfunded, postponed };
};

/** What a slice has used, calls included whose pairs are put off. */
export const deferredUsage = ({ slice }: StoredSlice, { deferred, unfunded }: Remainder): JudgeUsage =>
  [...deferred, ...unfunded].map(({ verdict }) => usageOf(verdict.metadata)).reduce(addUsage, slice.usage);
