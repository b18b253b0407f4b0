import { roundDollars } from "../domain/runs/budget.ts";

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

/** Prices of one length of prompts, US dollars per million tokens. */
interface TokenPrice {
  /** Price of prompt tokens neither read from nor written to the provider's cache. */
  readonly input: number;
  /** Price of prompt tokens read from the cache. */
  readonly cached: number;
  readonly output: number;
  /** Price of prompt tokens written to the cache. */
  readonly written: number;
}

/** Price of a model, US dollars per million tokens. */
export interface Price extends TokenPrice {
  /** Price of calls whose prompt has more than `above` tokens; absent where a prompt's length has no effect. */
  readonly long?: TokenPrice & { readonly above: number };
}

/** Returns the price of a call by the tokens of its prompt. */
export const priceOfPrompt = ({ long, ...price }: Price, tokens: number): TokenPrice =>
  long !== undefined && tokens > long.above ? long : price;

/** Prices set by the operator, by `<provider>/<model>`. */
export type Prices = ReadonlyMap<string, Price>;

/**
 * Computes the cost of a call in US dollars; null when the price is unknown. Uncached tokens are at least 0.
 *
 * @param shares prices at the call's service tier as shares of the standard price: of tokens read from the cache, and of others.
 */
export const costOf = (
  { prompt, completion, cached, written }: Tokens,
  price: Price | null,
  [share, cachedShare]: readonly [share: number, cachedShare: number] = [1, 1],
): number | null => {
  if (price === null) return null;
  const { input, output, ...cache } = priceOfPrompt(price, prompt);
  const uncached = Math.max(0, prompt - cached - written);
  return roundDollars(
    ((uncached * input + written * cache.written + completion * output) * share + cached * cache.cached * cachedShare) /
      1e6,
  );
};
