/**
 * Token counts of a call, normalised across providers. `cached` and `written` are parts of `prompt`: tokens read from the
 * provider's cache, and tokens written to it, which some providers bill higher.
 */
export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly written: number;
}

/** Token counts of a call without reported usage. */
export const noTokens: Tokens = { prompt: 0, completion: 0, cached: 0, written: 0 };

/** Adds two token counts. */
export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  prompt: a.prompt + b.prompt,
  completion: a.completion + b.completion,
  cached: a.cached + b.cached,
  written: a.written + b.written,
});

/** Price of a model, US dollars per million tokens. */
export interface Price {
  /** Price of prompt tokens neither read from nor written to the provider's cache. */
  readonly input: number;
  /** Price of prompt tokens read from the cache. */
  readonly cached: number;
  readonly output: number;
  /** Price of prompt tokens written to the cache. */
  readonly written: number;
}

/** Prices set by the operator, by `<provider>/<model>`. */
export type Prices = ReadonlyMap<string, Price>;

/** Rounds US dollars to a billionth, so that sums do not depend on their order. */
const roundDollars = (dollars: number): number => Math.round(dollars * 1e9) / 1e9;

/** Computes the cost of tokens in US dollars; null when the price is unknown. Uncached tokens are at least 0. */
export const costOf = ({ prompt, completion, cached, written }: Tokens, price: Price | null): number | null => {
  if (price === null) return null;
  const uncached = Math.max(0, prompt - cached - written);
  return roundDollars(
    (uncached * price.input + cached * price.cached + written * price.written + completion * price.output) / 1e6,
  );
};

/**
 * Computes the cost of tokens in US dollars when a part of them was billed at the flex tier; null when the price is unknown.
 *
 * @param flexTokens the part of the tokens billed at the flex tier.
 * @param share price at the flex tier as a share of the standard price.
 */
export const costAtTiers = (tokens: Tokens, flexTokens: Tokens, price: Price | null, share: number): number | null => {
  const [cost, flexCost] = [costOf(tokens, price), costOf(flexTokens, price)];
  return cost === null || flexCost === null ? null : roundDollars(cost - (1 - share) * flexCost);
};
