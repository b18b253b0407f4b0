import { isSettled } from "../../domain/runs/pair-bits.ts";
import { isDecisionModel } from "../../domain/runs/model.ts";
import { recordedCost, type JudgeUsage, type RunOrder } from "../../domain/runs/run.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import { nextMonth, unpricedMessage, type CeilingKind, type Ceilings } from "../../domain/runs/budget.ts";
import { signalNames } from "../../domain/scores/signals.ts";
import type { Price } from "../../prices/price.ts";
import { unlimitedBudget, type JudgeBudget } from "../../judge/spending/judge-budget.ts";
import { LostLease } from "../../store/runs/settlement.ts";
import type { SliceDelivery } from "../../store/spend/ledger.ts";
import type { SpendStore } from "../../store/spend/spend.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { deliveryBudget, type GrowReservation } from "./delivery-budget.ts";
import { recordedBudget } from "./recorded-budget.ts";

/**
 * First and longest pause of a slice that waits for budget, in milliseconds, by the exhausted ceiling. The pause doubles each
 * time. A run's budget is freed by other slices of the run, as is any budget that reservations fill; the others when an operator
 * raises a ceiling.
 */
const pauses = {
  run: { first: 10_000, max: 300_000 },
  project: { first: 300_000, max: 3_600_000 },
  organization: { first: 300_000, max: 3_600_000 },
  deployment: { first: 300_000, max: 3_600_000 },
} as const;

/** Computes the next attempt of a slice that waits for budget, epoch milliseconds: at the latest when a new month renews the budget. */
const retryAt = (ceiling: CeilingKind, waits: number, now: number): number => {
  const { first, max } = pauses[ceiling];
  const until = now + Math.min(max, first * 2 ** waits);
  return ceiling === "run" ? until : Math.min(until, nextMonth(now));
};

/** Lack of budget that stops a slice, with a message for users. */
export type Shortage =
  /** Budget may become free: the slice is tried again at `until`, epoch milliseconds. */
  | { readonly kind: "wait"; readonly until: number; readonly message: string; readonly isTemporary: boolean }
  /** No budget will become free. */
  | { readonly kind: "end"; readonly message: string };

/** True for a lack of budget that ends with no judgement in progress. */
export const isLasting = (shortage: Shortage | null): boolean =>
  shortage !== null && (shortage.kind === "end" || !shortage.isTemporary);

/** Budget of one delivery of a slice. */
export interface SliceBudget {
  readonly judgeBudget: JudgeBudget;
  /** Returns the shortage that prevented a judgement; null if there was none. */
  readonly shortage: () => Shortage | null;
  /** True if no judgement can start any more for lack of budget. */
  readonly isExhausted: () => boolean;
  /** US dollars that dead workers of the slice reserved and did not settle; they count as spent. */
  readonly forfeit: number;
  /**
   * Records the cost of the slice and frees its reservation.
   *
   * @param usage committed usage over all deliveries of the slice. What this delivery spent beyond it, because a commit
   *   failed, counts too.
   */
  readonly close: (usage: JudgeUsage) => Promise<void>;
}

export interface SpendingDependencies {
  readonly spend: SpendStore;
  readonly priceOf: (model: string) => Price | null;
  /** Cost ceilings that the operator has set. */
  readonly ceilings: Omit<Ceilings, "run">;
  /** Finds the organization of a project; null if it is deleted. Called only if organizations have a ceiling. */
  readonly organizationOf: (project: string) => Promise<string | null>;
}

/** Fields of a run that its budget depends on. */
export type BudgetedRun = Pick<
  RunOrder,
  "id" | "projectId" | "metrics" | "targetType" | "maxCostUsd" | "judge" | "resolvedModel"
>;

/** Fields of a slice that its budget depends on. */
export interface BudgetedSlice extends Pick<StoredSlice, "epoch" | "waits"> {
  /** As in a stored slice; absent for work that nobody takes over. */
  readonly isAbandoned?: boolean;
  readonly slice: Pick<Slice, "id" | "targets" | "traces" | "bits" | "usage">;
}

/** Limits of one delivery. */
interface DeliveryConditions {
  /** Maximum number of concurrent judgements. */
  readonly maxConcurrent: number;
  readonly canStart: () => boolean;
  /** Returns the committed usage of the slice; absent for work that commits nothing. */
  readonly committed?: (() => JudgeUsage) | undefined;
  readonly now: () => number;
}

const unlimitedSliceBudget: SliceBudget = {
  judgeBudget: unlimitedBudget,
  shortage: () => null,
  isExhausted: () => false,
  forfeit: 0,
  close: async () => undefined,
};

/**
 * Counts the judgements that a slice may still need: unsettled pairs, or calls of a decision model, which judges all pairs of a
 * target at once, and the share of pairs that a second judge may be asked about; for each unsettled session every signal of its
 * traces.
 */
const countOpenJudgements = (
  { metrics, targetType, judge, resolvedModel }: BudgetedRun,
  { targets, traces, bits }: BudgetedSlice["slice"],
): number => {
  let [needed, openPairs] = [0, 0];
  for (const target of targets.keys()) {
    const pairs = metrics.filter((_, metric) => !isSettled(bits, target * metrics.length + metric)).length;
    openPairs += pairs;
    if (targetType === "TRACE") needed += isDecisionModel(resolvedModel) ? Math.min(pairs, 1) : pairs;
    else if (pairs > 0) needed += Math.max(1, traces[target] ?? 0) * signalNames.length;
  }
  return needed + Math.floor(openPairs * (judge?.escalate.at_most ?? 0));
};

const ceilingsOf = ({ ceilings }: SpendingDependencies, { maxCostUsd }: Pick<RunOrder, "maxCostUsd">): Ceilings => ({
  ...ceilings,
  run: maxCostUsd,
});

const hasCeiling = (ceilings: Ceilings): boolean => Object.values(ceilings).some((ceiling) => ceiling !== null);

/** Message for an operator if a run has a cost ceiling but the price of its model is unknown; otherwise null. */
export const missingPriceMessage = (
  spending: SpendingDependencies,
  order: Pick<RunOrder, "maxCostUsd">,
  model: string,
): string | null =>
  hasCeiling(ceilingsOf(spending, order)) && spending.priceOf(model) === null ? unpricedMessage(model) : null;

/** Difference of two sums of the same costs that is due to rounding, US dollars. */
const roundingError = 1e-6;

/** Creates the budget of a delivery without a ceiling, whose calls under way are recorded once. */
const budgetWithoutCeiling = async (
  { spend }: SpendingDependencies,
  delivery: SliceDelivery,
  { slice, isAbandoned = false }: BudgetedSlice,
  { maxConcurrent, committed }: Pick<DeliveryConditions, "maxConcurrent" | "committed">,
): Promise<SliceBudget> => {
  if (committed === undefined) return unlimitedSliceBudget;
  const spent = recordedCost(slice.usage);
  return {
    ...unlimitedSliceBudget,
    judgeBudget: recordedBudget({
      record: async (usd) => {
        if (!(await spend.recordCalls(delivery, spent, usd))) throw new LostLease();
      },
      committed: () => recordedCost(committed()) - spent,
      maxConcurrent,
    }),
    forfeit: isAbandoned ? await spend.takeOver(delivery, spent) : 0,
  };
};

/**
 * Creates the budget of one delivery of a slice, and takes over from the workers of earlier deliveries. Budget is reserved when a
 * judgement needs it; without a ceiling, none is.
 */
export const sliceBudget = async (
  spending: SpendingDependencies,
  order: BudgetedRun,
  budgetedSlice: BudgetedSlice,
  { maxConcurrent, canStart, committed, now }: DeliveryConditions,
): Promise<SliceBudget> => {
  const ceilings = ceilingsOf(spending, order);
  const { slice, epoch, waits, isAbandoned } = budgetedSlice;
  const delivery = { project: order.projectId, run: order.id, slice: slice.id, epoch };
  const judgements = countOpenJudgements(order, slice);
  if (!hasCeiling(ceilings)) {
    const conditions = { maxConcurrent: Math.min(maxConcurrent, judgements), committed };
    return await budgetWithoutCeiling(spending, delivery, budgetedSlice, conditions);
  }
  const { spend, organizationOf } = spending;
  const earlierCost = recordedCost(slice.usage);
  const forfeit = epoch > 1 ? await spend.takeOver(delivery, earlierCost, isAbandoned) : 0;
  let refusal: { readonly ceiling: CeilingKind; readonly message: string; readonly isTemporary: boolean } | null = null;
  const growReservation: GrowReservation = async (spent, maxUsd, minUsd, calls) => {
    const organization = ceilings.organization === null ? null : await organizationOf(order.projectId);
    const reserved = await spend.reserve({
      ...delivery,
      organization,
      spent: earlierCost + spent,
      maxUsd,
      minUsd,
      calls,
      ceilings,
    });
    if (reserved.kind === "superseded") throw new LostLease();
    if (reserved.kind === "granted") return reserved;
    refusal = reserved;
    return { kind: "short", canFreeUp: reserved.canFreeUp };
  };
  const delivered = deliveryBudget({
    grow: growReservation,
    note: async (usd, noted) => {
      if (!(await spend.noteCalls(delivery, usd, noted))) throw new LostLease();
    },
    committed: () => (committed === undefined ? 0 : recordedCost(committed()) - earlierCost),
    maxJudgements: judgements,
    maxConcurrent,
    canStart,
  });
  return {
    judgeBudget: delivered.judgeBudget,
    shortage: () => {
      const exhausted = delivered.shortage();
      if (exhausted === null || refusal === null) return null;
      const { ceiling, message, isTemporary } = refusal;
      const waitCount = delivered.spent() > 0 ? 0 : waits;
      return exhausted.canFreeUp
        ? { kind: "wait", until: retryAt(isTemporary ? "run" : ceiling, waitCount, now()), message, isTemporary }
        : { kind: "end", message };
    },
    isExhausted: delivered.isExhausted,
    forfeit,
    close: (usage) => {
      const [committed, spent] = [recordedCost(usage), earlierCost + delivered.spent()];
      return spend.settle(delivery, spent > committed + roundingError ? spent : committed);
    },
  };
};
