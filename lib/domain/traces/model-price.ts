import type { Instant } from "../instant.ts";

/** Prices of a model in US dollars per million tokens. */
export interface TokenPrices {
  /** Price of prompt tokens that were neither read from a cache nor written to it. */
  readonly input: number;
  readonly output: number;
  /** Price of prompt tokens read from a cache. */
  readonly cached: number;
  /** Price of prompt tokens written to a cache. */
  readonly written: number;
  /** Price of the reasoning tokens among the completion tokens. */
  readonly reasoning: number;
}

/** Prices that apply from an instant on; null for the first ones. */
export interface DatedPrices extends TokenPrices {
  readonly from: Instant | null;
}

/**
 * Prices in the order input, output, cached, written, reasoning, from; trailing values that equal their defaults are
 * omitted.
 */
type PackedPrices = readonly [input: number, output: number, ...others: readonly (number | Instant)[]];

/**
 * Price history of a model in ascending order. Every span of a document may contain one, so it is kept in its compact
 * stored form: cached and written tokens default to the input price, reasoning tokens to the output price.
 */
export type ModelPrice = readonly PackedPrices[];

const packPrices = ({ input, output, cached, written, reasoning, from }: DatedPrices): PackedPrices => {
  const optionalPrices: (number | Instant)[] = [cached, written, reasoning, from ?? ""];
  const defaults = [input, input, output, ""];
  while (optionalPrices.length > 0 && optionalPrices.at(-1) === defaults[optionalPrices.length - 1])
    optionalPrices.pop();
  return [input, output, ...optionalPrices];
};

/** Packs the price history of a model. */
export const modelPrice = (prices: readonly DatedPrices[]): ModelPrice =>
  prices.toSorted((a, b) => ((a.from ?? "") < (b.from ?? "") ? -1 : 1)).map(packPrices);

const amount = (value: number | Instant | undefined, defaultValue: number): number =>
  typeof value === "number" ? value : defaultValue;

/** Returns the prices at an instant; null before the first date. */
export const pricesAt = (price: ModelPrice, at: Instant): TokenPrices | null => {
  const current = price.findLast(([, , , , , from]) => typeof from !== "string" || from <= at);
  if (current === undefined) return null;
  const [input, output, cached, written, reasoning] = current;
  return {
    input,
    output,
    cached: amount(cached, input),
    written: amount(written, input),
    reasoning: amount(reasoning, output),
  };
};
