/** Amounts to reserve before the first call of a judgement, US dollars. */
export interface ReservationRequest {
  /** Upper bound: every call made twice, with answers of the full length. */
  readonly max: number;
  /** Every call made twice, with answers of likely length; enough for most judgements. */
  readonly likely: number;
  /** Every call made once, with the shortest useful answers. */
  readonly min: number;
  /** The same with prompts counted by the model's tokenizer, as far as it is known; with less the judgement does not begin. */
  readonly tight?: () => Promise<number>;
}

/** Amount reserved for the calls of one judgement, US dollars. */
export interface CostReservation {
  /** Returns the part that is not spent. */
  readonly remaining: () => number;
  /** Reserves a further amount; false if the budget does not have it at once. */
  readonly extend: (usd: number) => boolean;
  /**
   * Begins a call that costs at most this amount: resolves when that is known to whoever takes over from this worker if it dies.
   * Nothing may be sent before.
   *
   * @returns the function that records the cost of the ended call, or its upper bound when the provider reports no usage.
   */
  readonly begin: (maxUsd: number) => Promise<(usd: number) => void>;
  /** Returns the unspent part to the budget. */
  readonly close: () => void;
}

/** Budget for the judgements of one run slice. */
export interface JudgeBudget {
  /** True if there is no ceiling: a model without a price may be asked, too. */
  readonly isUnlimited?: true;
  /**
   * Reserves an amount between `min` and `max`. Waits while open reservations may still return money; null if `min` is not
   * available.
   */
  readonly reserve: (request: ReservationRequest) => Promise<CostReservation | null>;
}

const unlimitedReservation: CostReservation = {
  remaining: () => Infinity,
  extend: () => true,
  begin: async () => () => undefined,
  close: () => undefined,
};

/** A budget without a ceiling, which needs no amounts. */
export const unlimitedBudget: JudgeBudget = { isUnlimited: true, reserve: async () => unlimitedReservation };
