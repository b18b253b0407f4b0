import type { IdentifiedSpan, IdentifiedTrace, PricedUpdate } from "./input.ts";
import type { ModelPrice } from "./model-price.ts";
import { listedCost } from "./span-cost.ts";
import type { Span } from "./trace.ts";

/** What a model costs, by the name that its spans have; undefined where no list says it. */
export type PriceOf = (model: string) => ModelPrice | undefined;

/** No list says anything. */
export const noPrices: PriceOf = () => undefined;

const priceWith = (model: string | null | undefined, priceOf: PriceOf): { readonly price?: ModelPrice } => {
  const price = (model ?? "") === "" ? undefined : priceOf(model ?? "");
  return price === undefined ? {} : { price };
};

/** Spans as they are stored: each with the price that its model has as they come in. */
export const pricedSpans = (spans: readonly IdentifiedSpan[], priceOf: PriceOf): readonly IdentifiedSpan[] =>
  spans.map((span) => ({ ...span, ...priceWith(span.model, priceOf) }));

/** A trace as it is stored: see `pricedSpans`. */
export const pricedTrace = (trace: IdentifiedTrace, priceOf: PriceOf): IdentifiedTrace =>
  trace.spans === undefined ? trace : { ...trace, spans: pricedSpans(trace.spans, priceOf) };

/** A change of a span as it is stored: see `pricedSpans`. */
export const pricedUpdate = (update: PricedUpdate, priceOf: PriceOf): PricedUpdate => ({
  ...update,
  ...priceWith(update.model, priceOf),
});

/** Spans with other prices, those of the models that have one there; the others stay as they are. */
export const repricedSpans = (spans: readonly Span[], prices: ReadonlyMap<string, ModelPrice>): readonly Span[] =>
  spans.map((span) => {
    const price = span.model === null ? undefined : prices.get(span.model);
    return price === undefined ? span : { ...span, price };
  });

/** What a newer list says of the models of some spans, as far as one of them costs something else by it; a model that it does not have keeps its price. */
export const newerPrices = (
  spans: readonly Span[],
  priceOf: PriceOf,
): readonly (readonly [model: string, price: ModelPrice])[] => {
  const prices = new Map<string, ModelPrice>();
  for (const span of spans) {
    const model = span.model ?? "";
    const price = model === "" || prices.has(model) ? undefined : priceOf(model);
    if (price === undefined) continue;
    const [is, was] = [listedCost({ ...span, price }), listedCost(span)];
    if (is?.input !== was?.input || is?.output !== was?.output) prices.set(model, price);
  }
  return [...prices];
};
