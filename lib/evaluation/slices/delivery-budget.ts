import type { CostReservation, JudgeBudget, ReservationRequest } from "../../judge/spending/judge-budget.ts";

/** Result of a request for budget: the reserved US dollars beyond the cost so far, or a shortage. */
type GrowthResult =
  | { readonly kind: "granted"; readonly usd: number }
  /** `canFreeUp`: true if other slices may free budget. */
  | { readonly kind: "short"; readonly canFreeUp: boolean };

/**
 * Replaces the budget reservation of a slice. All amounts are US dollars.
 *
 * @param spent cost of this delivery so far.
 * @param wanted desired reservation beyond `spent`.
 * @param min smallest useful reservation: if not available, nothing is reserved and the former reservation is freed.
 */
export type GrowReservation = (spent: number, wanted: number, min: number) => Promise<GrowthResult>;

interface DeliveryBudget {
  readonly judgeBudget: JudgeBudget;
  /** Cost of this delivery, US dollars, with upper bounds for calls of unreported usage. */
  readonly spent: () => number;
  /** Shortage that prevented a judgement, null if none; `canFreeUp`: true if other slices may free budget. */
  readonly shortage: () => { readonly canFreeUp: boolean } | null;
  /** True if no judgement can start any more for lack of budget. After a shortage some cheaper ones still can. */
  readonly isExhausted: () => boolean;
}

interface DeliveryBudgetOptions {
  readonly grow: GrowReservation;
  /** Judgements that the slice may still need, at most. */
  readonly maxJudgements: number;
  /** Maximum number of concurrent judgements. */
  readonly maxConcurrent: number;
  /** True if another judgement may start. */
  readonly canStart: () => boolean;
}

/**
 * Expected cost of a judgement as a share of its maximum cost, used until the first judgement has ended: a little above what
 * traces cost, because a worker that dies forfeits its whole reservation.
 */
const initialCostShare = 1 / 6;

/** Judgements refused for lack of budget before the cheaper ones among the others are given up, too: each reads its trace. */
const maxRefusals = 16;

/**
 * Creates the budget of one delivery of a slice. The maximum cost of a judgement is reserved before it starts, and the unused
 * rest is free for the next one. If too little is left, a judgement first waits for those in progress, then requests more
 * budget, and then starts with less. What does not suffice for one judgement can suffice for a cheaper one.
 */
export const deliveryBudget = ({
  grow,
  maxJudgements,
  maxConcurrent,
  canStart,
}: DeliveryBudgetOptions): DeliveryBudget => {
  let [granted, spent, reserved, open, closed] = [0, 0, 0, 0, 0];
  let shortage: { readonly canFreeUp: boolean } | null = null;
  let [refusals, leastRefused] = [0, Infinity];
  let released = Promise.withResolvers<void>();
  let queue: Promise<unknown> = Promise.resolve();

  const free = (): number => granted - spent - reserved;

  const openReservation = (usd: number): CostReservation => {
    let [remaining, isOpen] = [usd, true];
    reserved += usd;
    open += 1;
    return {
      remaining: () => remaining,
      extend: (extra) => {
        if (!isOpen || free() < extra) return false;
        remaining += extra;
        reserved += extra;
        return true;
      },
      spend: (cost) => {
        const fromReservation = isOpen ? Math.min(remaining, cost) : 0;
        remaining -= fromReservation;
        reserved -= fromReservation;
        spent += cost;
      },
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        reserved -= remaining;
        open -= 1;
        closed += 1;
        // Removes the rounding error of floating-point sums.
        if (open === 0) reserved = 0;
        released.resolve();
        released = Promise.withResolvers();
      },
    };
  };

  /** Budget to request, US dollars: the maximum cost of all concurrent judgements and the expected cost of the others. */
  const desiredAmount = ({ max: maxCost }: ReservationRequest): number => {
    const remainingJudgements = Math.max(1, maxJudgements - closed);
    const concurrent = Math.min(maxConcurrent, remainingJudgements);
    const expectedCost = closed === 0 ? maxCost * initialCostShare : spent / closed;
    return concurrent * maxCost + (remainingJudgements - concurrent) * expectedCost;
  };

  const requestGrowth = async (request: ReservationRequest, min: number): Promise<GrowthResult> => {
    const growth = await grow(spent, Math.max(min, desiredAmount(request)), min);
    granted = spent + (growth.kind === "granted" ? growth.usd : 0);
    return growth;
  };

  const isExhausted = (): boolean => shortage !== null && (shortage.canFreeUp || refusals >= maxRefusals);

  const refuse = (least: number, reason: { readonly canFreeUp: boolean }): null => {
    shortage = reason;
    refusals += 1;
    leastRefused = Math.min(leastRefused, least);
    return null;
  };

  const reserve = async (request: ReservationRequest): Promise<CostReservation | null> => {
    while (!isExhausted() && canStart()) {
      if (free() >= request.max) return openReservation(request.max);
      if (open > 0) {
        await released.promise;
        continue;
      }
      let growth: GrowthResult = { kind: "short", canFreeUp: false };
      if (shortage === null) growth = await requestGrowth(request, request.likely);
      // No other slice will free budget: a short answer is better than none.
      if (growth.kind === "short" && !growth.canFreeUp && shortage === null)
        growth = await requestGrowth(request, request.min);
      if (growth.kind === "short" && !growth.canFreeUp) {
        const least = (await request.tight?.()) ?? request.min;
        if (least >= leastRefused) return refuse(least, growth);
        growth = await requestGrowth(request, least);
        if (growth.kind === "short") return refuse(least, growth);
      }
      if (growth.kind === "granted") return openReservation(Math.min(free(), request.max));
      return refuse(Infinity, growth);
    }
    return null;
  };

  return {
    judgeBudget: {
      reserve: (request) => {
        const reservation = queue.then(() => reserve(request));
        queue = reservation.catch(() => null);
        return reservation;
      },
    },
    spent: () => spent,
    shortage: () => shortage,
    isExhausted,
  };
};
