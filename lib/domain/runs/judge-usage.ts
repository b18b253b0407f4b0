/** Usage of judge models: calls, tokens and cost. */
export interface JudgeUsage {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Prompt tokens read from the provider's cache; included in `promptTokens`. */
  readonly cachedTokens: number;
  /** Cost in US dollars; null if the price of any part is unknown. */
  readonly cost: number | null;
  /**
   * US dollars charged to budgets, if different from the cost because providers did not report the usage of some
   * calls.
   */
  readonly charged?: number | undefined;
}

export const noUsage: JudgeUsage = { calls: 0, promptTokens: 0, completionTokens: 0, cachedTokens: 0, cost: 0 };

/** Rounds to a billionth of a dollar, finer than any price, so that a sum does not depend on the order of additions. */
const rounded = (dollars: number): number => Math.round(dollars * 1e9) / 1e9;

/** Returns the US dollars of a usage that count towards budgets. */
export const chargedOf = ({ charged, cost }: JudgeUsage): number => charged ?? cost ?? 0;

export const addUsage = (a: JudgeUsage, b: JudgeUsage): JudgeUsage => ({
  calls: a.calls + b.calls,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  cost: a.cost === null || b.cost === null ? null : rounded(a.cost + b.cost),
  ...((a.charged !== undefined || b.charged !== undefined) && { charged: rounded(chargedOf(a) + chargedOf(b)) }),
});
