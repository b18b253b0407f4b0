import type { IdentifiedSpan, IdentifiedTrace, PricedUpdate } from "./input.ts";
import type { ModelPrice } from "./model-price.ts";
import { listedCost } from "./span-cost.ts";
import type { Span } from "./trace.ts";

/** Returns the price of a model by its name in spans; undefined if no price list has it. */
export type PriceOf = (model: string) => ModelPrice | undefined;

/** A price lookup without any prices. */
export const noPrices: PriceOf = () => undefined;

const priceWith = (model: string | null | undefined, priceOf: PriceOf): { readonly price?: ModelPrice } => {
  const price = (model ?? "") === "" ? undefined : priceOf(model ?? "");
  return price === undefined ? {} : { price };
};

/** Adds to each span the current price of its model. */
export const pricedSpans = (spans: readonly IdentifiedSpan[], priceOf: PriceOf): readonly IdentifiedSpan[] =>
  spans.map((span) => ({ ...span, ...priceWith(span.model, priceOf) }));

/** Adds to each span of a trace the current price of its model. */
export const pricedTrace = (trace: IdentifiedTrace, priceOf: PriceOf): IdentifiedTrace =>
  trace.spans === undefined ? trace : { ...trace, spans: pricedSpans(trace.spans, priceOf) };

/** Adds to a patch of a span the current price of the model it names. */
export const pricedUpdate = (update: PricedUpdate, priceOf: PriceOf): PricedUpdate => ({
  ...update,
  ...priceWith(update.model, priceOf),
});

/** Replaces the prices of spans whose model is in `prices`; other spans stay unchanged. */
export const repricedSpans = (spans: readonly Span[], prices: ReadonlyMap<string, ModelPrice>): readonly Span[] =>
  spans.map((span) => {
    const price = span.model === null ? undefined : prices.get(span.model);
    return price === undefined ? span : { ...span, price };
  });

/**
 * Returns the current prices of models whose spans would have another cost with them; models without a current price
 * are left out.
 */
export const newerPrices = (
  spans: readonly Span[],
  priceOf: PriceOf,
): readonly (readonly [model: string, price: ModelPrice])[] => {
  const prices = new Map<string, ModelPrice>();
  for (const span of spans) {
    const model = span.model ?? "";
    const price = model === "" || prices.has(model) ? undefined : priceOf(model);
    if (price === undefined) continue;
    const [newCost, currentCost] = [listedCost({ ...span, price }), listedCost(span)];
    if (newCost?.input !== currentCost?.input || newCost?.output !== currentCost?.output) prices.set(model, price);
  }
  return [...prices];
};
