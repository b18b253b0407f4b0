import type { CostReservation, JudgeBudget, ReservationRequest } from "../../judge/spending/judge-budget.ts";
import type { CallsOfReservation } from "../../store/spend/spend.ts";
import { notedCalls } from "./noted-calls.ts";

/** Result of a request for budget: the reserved US dollars beyond the cost so far, or a shortage. */
type GrowthResult =
  /** `noted`: the stored bound of what calls cost that are not committed. */
  | { readonly kind: "granted"; readonly usd: number; readonly noted?: number }
  /** `canFreeUp`: true if other slices may free budget. */
  | { readonly kind: "short"; readonly canFreeUp: boolean };

/**
 * Replaces the budget reservation of a slice. All amounts are US dollars.
 *
 * @param spent cost of this delivery so far.
 * @param wanted desired reservation beyond `spent`.
 * @param min smallest useful reservation: if not available, nothing is reserved and the former reservation is freed.
 */
export type GrowReservation = (
  spent: number,
  wanted: number,
  min: number,
  calls: CallsOfReservation,
) => Promise<GrowthResult>;

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
  /** Stores a higher bound of what calls cost that are not committed, instead of `noted`. */
  readonly note: (usd: number, noted: number) => Promise<void>;
  /** Returns the committed cost of this delivery, US dollars. */
  readonly committed: () => number;
  /** Judgements that the slice may still need, at most. */
  readonly maxJudgements: number;
  /** Maximum number of concurrent judgements. */
  readonly maxConcurrent: number;
  /** True if another judgement may start. */
  readonly canStart: () => boolean;
}

/**
 * Expected cost of a judgement as a share of its maximum cost, used until the first judgement has ended: a little above what
 * traces cost, because others cannot use what a slice reserves.
 */
const initialCostShare = 1 / 6;

/** Judgements for each write that notes more calls than were noted before: 0.1 write units a score. */
const judgementsPerNote = 10;

/** Judgements refused for lack of budget before the cheaper ones among the others are given up, too: each reads its trace. */
const maxRefusals = 16;

/**
 * Creates the budget of one delivery of a slice. The maximum cost of a judgement is reserved before it starts, and the unused
 * rest is free for the next one. If too little is left, a judgement first waits for those in progress, then requests more
 * budget, and then starts with less. What does not suffice for one judgement can suffice for a cheaper one.
 */
export const deliveryBudget = ({
  grow,
  note,
  committed,
  maxJudgements,
  maxConcurrent,
  canStart,
}: DeliveryBudgetOptions): DeliveryBudget => {
  let [granted, reserved, open, closed] = [0, 0, 0, 0];
  let shortage: { readonly canFreeUp: boolean } | null = null;
  let [refusals, leastRefused] = [0, Infinity];
  let released = Promise.withResolvers<void>();
  let queue: Promise<unknown> = Promise.resolve();

  const { begin, spent, uncommitted, setNoted } = notedCalls({
    store: note,
    committed,
    // No more than is reserved is ever noted, so that a reservation has as many steps as it may have writes.
    next: (needed, noted) =>
      Math.max(needed, Math.min(granted, noted + granted / Math.max(2, maxJudgements / judgementsPerNote))),
  });

  const free = (): number => granted - spent() - reserved;

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
      begin: async (maxUsd) => {
        const end = await begin(maxUsd);
        return (cost) => {
          const fromReservation = isOpen ? Math.min(remaining, cost) : 0;
          remaining -= fromReservation;
          reserved -= fromReservation;
          end(cost);
        };
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

  const requestGrowth = async ({ max: maxCost }: ReservationRequest, min: number): Promise<GrowthResult> => {
    const remainingJudgements = Math.max(1, maxJudgements - closed);
    const concurrent = Math.min(maxConcurrent, remainingJudgements);
    const expectedCost = closed === 0 ? maxCost * initialCostShare : spent() / closed;
    // The maximum cost of all concurrent judgements and the expected cost of the others.
    const desired = concurrent * maxCost + (remainingJudgements - concurrent) * expectedCost;
    // The maximum cost of a judgement has each call twice.
    const calls = { judgement: maxCost, uncommitted: uncommitted(), ahead: (concurrent * maxCost) / 2 };
    // Whether a request that fails has replaced the reservation is unknown: nothing of the former one may be spent then.
    granted = spent();
    const growth = await grow(spent(), Math.max(min, desired), min, calls);
    granted = spent() + (growth.kind === "granted" ? growth.usd : 0);
    if (growth.kind === "granted") setNoted(growth.noted ?? 0);
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
    spent,
    shortage: () => shortage,
    isExhausted,
  };
};
