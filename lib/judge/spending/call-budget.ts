import type { Price } from "../../prices/price.ts";
import { answerCost, affordableTokens, promptCost } from "./call-cost.ts";
import { unlimitedBudget, type CostReservation, type JudgeBudget, type ReservationRequest } from "./judge-budget.ts";

/** Estimated lengths of an answer, in output tokens. */
export interface AnswerLengths {
  /** Output token limit of a call when the budget allows it. */
  readonly max: number;
  /** Tokens that are enough for most answers. */
  readonly likely: number;
  /** Fewest tokens worth a call: with less the answer would probably be cut. */
  readonly min: number;
}

/** A call that the budget allows, with its limits. */
interface BudgetedCall {
  /** Output token limit of the answer. */
  readonly outputTokens: number;
  /** Upper bound of the call's cost, US dollars. */
  readonly maxCost: number;
}

/** Budget of the model calls that one judgement (target x metric) may make. */
export interface ModelCallBudget {
  /**
   * Begins a call and keeps back enough of the budget for the later planned calls; null if the budget does not suffice.
   *
   * @param bytes bytes of the prompt. @param maxTokens output tokens to allow. @param minTokens fewest useful output tokens.
   */
  readonly begin: (bytes: () => number, maxTokens: number, minTokens: number) => BudgetedCall | null;
  /** Marks the next planned call as begun, so that its share of the budget is no longer kept back. */
  readonly next: () => void;
  /** Records the cost of an ended call. @param cost US dollars; null if unreported, which counts as the call's `maxCost`. */
  readonly end: (call: BudgetedCall, cost: number | null) => void;
  /** Returns an upper bound of the cost of calls in progress, US dollars. */
  readonly costInProgress: () => number;
  readonly lengths: AnswerLengths;
  readonly close: () => void;
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

const plannedCost = (price: Price, prompts: readonly number[], tokens: number): number =>
  sum(prompts.map((bytes) => promptCost(price, bytes) + answerCost(price, tokens)));

/** Computes the amounts to reserve for a judgement's planned calls. @param prompts bytes of each prompt. */
export const reservationRequestOf = (
  price: Price,
  prompts: readonly number[],
  { max, likely, min }: AnswerLengths,
): ReservationRequest => ({
  max: 2 * plannedCost(price, prompts, max),
  likely: 2 * plannedCost(price, prompts, likely),
  min: plannedCost(price, prompts, min),
});

/**
 * Reduces the answer length to what the budget allows when each call is made once; retries use the amount that first calls leave
 * unspent. The result is never below `min`, because an answer that is cut off is paid for and useless.
 */
const affordableAnswers = (
  price: Price,
  prompts: readonly number[],
  usd: number,
  lengths: AnswerLengths,
): AnswerLengths => {
  const longest = affordableTokens(price, (usd - plannedCost(price, prompts, 0)) / Math.max(1, prompts.length));
  return { ...lengths, max: Math.min(lengths.max, Math.max(longest, lengths.min)) };
};

const callBudgetOf = (
  reservation: CostReservation,
  price: Price,
  prompts: readonly number[],
  lengths: AnswerLengths,
): ModelCallBudget => {
  const affordableLengths = affordableAnswers(price, prompts, reservation.remaining(), lengths);
  const laterPrompts = [...prompts];
  let costInProgress = 0;
  return {
    lengths: affordableLengths,
    next: () => {
      laterPrompts.shift();
    },
    begin: (bytes, maxTokens, minTokens) => {
      const prompt = promptCost(price, bytes());
      const fullCost = prompt + answerCost(price, maxTokens);
      const spareBudget = (): number =>
        reservation.remaining() - costInProgress - plannedCost(price, laterPrompts, affordableLengths.min);
      const shortfall = fullCost - spareBudget();
      const outputTokens =
        shortfall <= 0 || reservation.extend(shortfall)
          ? maxTokens
          : Math.min(maxTokens, affordableTokens(price, spareBudget() - prompt));
      if (!(outputTokens >= Math.min(maxTokens, minTokens))) return null;
      const call = { outputTokens, maxCost: prompt + answerCost(price, outputTokens) };
      costInProgress += call.maxCost;
      return call;
    },
    end: ({ maxCost }, cost) => {
      costInProgress -= maxCost;
      reservation.spend(cost ?? maxCost);
    },
    costInProgress: () => costInProgress,
    close: reservation.close,
  };
};

/** Returns a budget that allows every call at its full length: no spending ceiling is set. */
const unlimitedCallBudget = (lengths: AnswerLengths): ModelCallBudget => ({
  lengths,
  next: () => undefined,
  begin: (_, maxTokens) => ({ maxCost: 0, outputTokens: maxTokens }),
  end: () => undefined,
  costInProgress: () => 0,
  close: () => undefined,
});

/**
 * Reserves the cost of a judgement's calls; null if the budget does not suffice or the model's price is unknown.
 *
 * @param prompts upper bound of each prompt's bytes.
 */
export const reserveModelCallBudget = async (
  budget: JudgeBudget,
  price: Price | null,
  prompts: readonly number[],
  lengths: AnswerLengths,
): Promise<ModelCallBudget | null> => {
  if (budget === unlimitedBudget) return unlimitedCallBudget(lengths);
  if (price === null) return null;
  const reservation = await budget.reserve(reservationRequestOf(price, prompts, lengths));
  return reservation === null ? null : callBudgetOf(reservation, price, prompts, lengths);
};

/** Budget, deadline and callback of one judgement. */
export interface JudgementContext {
  readonly budget: JudgeBudget;
  /** Latest end of the calls, epoch milliseconds. */
  readonly deadline: number;
  /** Called with the reserved budget; the caller of the judgement closes it. */
  readonly onReserved: (budget: ModelCallBudget) => void;
}
