/** What judging cost so far: calls made, tokens, and their price. */
export interface JudgeUsage {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Prompt tokens that came from the provider's cache; part of `promptTokens`. */
  readonly cachedTokens: number;
  /** US dollars; null when the price of any of it is not known. */
  readonly cost: number | null;
  /** What ceilings count, US dollars, where it is not the cost: of some calls nobody told what they used. */
  readonly charged?: number | undefined;
}

export const noUsage: JudgeUsage = { calls: 0, promptTokens: 0, completionTokens: 0, cachedTokens: 0, cost: 0 };

/** Dollars are kept to a billionth: finer than any price, and sums do not depend on their order. */
const rounded = (dollars: number): number => Math.round(dollars * 1e9) / 1e9;

/** What ceilings count of a usage, US dollars. */
export const chargedOf = ({ charged, cost }: JudgeUsage): number => charged ?? cost ?? 0;

export const addUsage = (a: JudgeUsage, b: JudgeUsage): JudgeUsage => ({
  calls: a.calls + b.calls,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  cost: a.cost === null || b.cost === null ? null : rounded(a.cost + b.cost),
  ...((a.charged !== undefined || b.charged !== undefined) && { charged: rounded(chargedOf(a) + chargedOf(b)) }),
});
