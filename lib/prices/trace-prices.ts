import { parseInstant } from "../domain/instant.ts";
import {
  anyTier,
  modelPrice,
  type DatedPrices,
  type ModelPrice,
  type TierShares,
} from "../domain/traces/model-price.ts";
import type { PriceOf } from "../domain/traces/span-cost.ts";
import { priceList, type ListedPrice } from "./listed-models.ts";
import { listedModel } from "./model-names.ts";

/** A price set by the operator for models in traces. */
export interface OperatorPrice extends DatedPrices {
  /** Model name in traces, case-insensitive; `*` matches any characters. */
  readonly model: string;
  /** Source of the price, as entered by the operator. */
  readonly source: string | null;
  /** Date of the source, `YYYY-MM-DD`. */
  readonly readOn: string | null;
}

/** A price with its origin: the operator's settings or the built-in list. */
export interface PriceEntry extends OperatorPrice {
  readonly list: "operator" | "service";
}

/** Rounds off the floating-point error of a product: 3.3 for 1.1 times 3. */
const roundPrice = (dollars: number): number => Math.round(dollars * 1e9) / 1e9;

const datedPrices = (
  { input, output, cached, written, from, above, hours, ...rare }: ListedPrice,
  tiers: TierShares,
): DatedPrices => ({
  ...Object.fromEntries(Object.entries(rare).map(([kind, dollars]) => [kind, roundPrice(dollars)])),
  input: roundPrice(input),
  output: roundPrice(output),
  cached: roundPrice(cached),
  written: roundPrice(written),
  reasoning: roundPrice(output),
  from: from === null ? null : parseInstant(from),
  above,
  hours,
  tiers,
});

/** Lists all prices, the operator's first. */
export const priceEntries = (operatorPrices: readonly OperatorPrice[]): readonly PriceEntry[] => [
  ...operatorPrices.map((price) => ({ ...price, list: "operator" as const })),
  ...Array.from(priceList, ([model, { prices, tiers, source, readOn }]) =>
    prices.map((price) => ({ model, ...datedPrices(price, tiers), source, readOn, list: "service" as const })),
  ).flat(),
];

/**
 * Creates the test of a pattern in which `*` matches any characters, for names in lower case. Each part is searched once
 * behind the one before it: as a regular expression, a pattern of many stars would take polynomial time.
 */
export const wildcard = (pattern: string): ((name: string) => boolean) => {
  const [start = "", ...parts] = pattern.toLowerCase().split("*");
  const end = parts.pop();
  if (end === undefined) return (name) => name === start;
  return (name) => {
    let from = start.length;
    for (const part of parts) {
      const at = name.indexOf(part, from);
      if (at === -1) return false;
      from = at + part.length;
    }
    return name.startsWith(start) && name.endsWith(end) && name.length - end.length >= from;
  };
};

/** Returns the specificity of a pattern: its number of characters except stars, plus a half for a pattern without a star. */
const precision = (pattern: string): number => pattern.replaceAll("*", "").length + (pattern.includes("*") ? 0 : 0.5);

/** Maximum model names whose price is cached; the prices of further names are searched at every call. */
const maxCachedNames = 10_000;

/**
 * Creates the price look-up for models of traces. The operator's prices replace the listed one, each from its date on.
 *
 * @param operatorPrices prices by pattern; for a name, the most specific matching pattern counts.
 */
export const tracePrices = (operatorPrices: readonly OperatorPrice[]): PriceOf => {
  const patterns = [...Map.groupBy(operatorPrices, ({ model }) => model.toLowerCase())]
    .toSorted(([a], [b]) => precision(b) - precision(a))
    .map(([pattern, prices]) => ({ matches: wildcard(pattern), prices }));

  const find = (model: string, host: string | null): ModelPrice | undefined => {
    const name = model.trim().toLowerCase();
    const listed = listedModel(name, host);
    const builtIn = listed?.prices.map((price) => datedPrices(price, listed.tiers)) ?? [];
    const matching = (patterns.find(({ matches }) => matches(name))?.prices ?? []).map((price) =>
      Object.assign({ tiers: anyTier }, price),
    );
    const isReplaced = matching.some(({ from }) => from === null);
    const prices = [...(isReplaced ? [] : builtIn), ...matching];
    return prices.length === 0 ? undefined : modelPrice(prices);
  };

  const cachedPrices = new Map<string, ModelPrice | undefined>();
  return (model, host) => {
    const key = `${host}\n${model}`;
    if (cachedPrices.has(key)) return cachedPrices.get(key);
    const price = find(model, host);
    if (cachedPrices.size < maxCachedNames) cachedPrices.set(key, price);
    return price;
  };
};
