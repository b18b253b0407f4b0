import type { Instant } from "../instant.ts";

/** US dollars per million tokens. */
export interface TokenPrices {
  /** Prompt tokens that were neither read from a cache nor written to it. */
  readonly input: number;
  readonly output: number;
  /** Prompt tokens read from a cache. */
  readonly cached: number;
  /** Prompt tokens written to a cache. */
  readonly written: number;
  /** Completion tokens that the model thought in. */
  readonly reasoning: number;
}

/** Prices that hold from an instant on, null: ever since. */
export interface DatedPrices extends TokenPrices {
  readonly from: Instant | null;
}

/** Input, output, cached, written, reasoning, from: as far as they differ from what follows from those before. */
type PackedPrices = readonly [input: number, output: number, ...others: readonly (number | Instant)[]];

/**
 * What a model costs, each price from its own date on, ascending. Every span of a document may have one, so it is kept as
 * short as it is stored: what is read from a cache or written to it costs what other input does unless it says otherwise, and what is thought what is said.
 */
export type ModelPrice = readonly PackedPrices[];

const packed = ({ input, output, cached, written, reasoning, from }: DatedPrices): PackedPrices => {
  const others: (number | Instant)[] = [cached, written, reasoning, from ?? ""];
  const usual = [input, input, output, ""];
  while (others.length > 0 && others.at(-1) === usual[others.length - 1]) others.pop();
  return [input, output, ...others];
};

/** The price of a model. */
export const modelPrice = (prices: readonly DatedPrices[]): ModelPrice =>
  prices.toSorted((a, b) => ((a.from ?? "") < (b.from ?? "") ? -1 : 1)).map(packed);

const amount = (value: number | Instant | undefined, usual: number): number =>
  typeof value === "number" ? value : usual;

/** What holds of a price at an instant; null before its first date. */
export const pricesAt = (price: ModelPrice, at: Instant): TokenPrices | null => {
  const held = price.findLast(([, , , , , from]) => typeof from !== "string" || from <= at);
  if (held === undefined) return null;
  const [input, output, cached, written, reasoning] = held;
  return {
    input,
    output,
    cached: amount(cached, input),
    written: amount(written, input),
    reasoning: amount(reasoning, output),
  };
};
