import type { Tokens } from "../providers/provider.ts";

/** US dollars per million tokens. */
export interface Price {
  /** Prompt tokens that were neither read from the cache nor written to it. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Prompt tokens written to the cache. */
  readonly written: number;
}

/** The operator's own prices by `<provider>/<model>`. */
export type Prices = ReadonlyMap<string, Price>;

/** Dollars are kept to a billionth: finer than any price, and sums do not depend on their order. */
const rounded = (dollars: number): number => Math.round(dollars * 1e9) / 1e9;

/** What tokens cost in US dollars; null when the price is not known. A provider's cache counts that exceed its prompt count as the prompt. */
export const costOf = ({ prompt, completion, cached, written }: Tokens, price: Price | null): number | null => {
  if (price === null) return null;
  const plain = Math.max(0, prompt - cached - written);
  return rounded(
    (plain * price.input + cached * price.cached + written * price.written + completion * price.output) / 1e6,
  );
};

/**
 * The same where some of the tokens were billed at another tier.
 *
 * @param flexTokens those of the tokens. @param share of the standard price that they cost.
 */
export const discounted = (tokens: Tokens, flexTokens: Tokens, price: Price | null, share: number): number | null => {
  const [cost, atTier] = [costOf(tokens, price), costOf(flexTokens, price)];
  return cost === null || atTier === null ? null : rounded(cost - (1 - share) * atTier);
};
