import { modelPrice, type DatedPrices, type ModelPrice } from "../../domain/traces/model-price.ts";
import type { PriceOf } from "../../domain/traces/priced.ts";
import { listedPrice, listReadOn, priceList, sourceOf } from "./price-list.ts";
import type { Price } from "./price.ts";

/** A price of the operator's for the models of traces. */
export interface OwnPrice extends DatedPrices {
  /** A model's name as traces have it, in any case; `*` stands for any characters. */
  readonly model: string;
  /** Where it was read, in the operator's words. */
  readonly source: string | null;
  /** The day on which it was read, `YYYY-MM-DD`. */
  readonly readOn: string | null;
}

/** A price of either list, and whose it is. */
export interface PriceEntry extends OwnPrice {
  readonly list: "operator" | "service";
}

/** Without what multiplying leaves behind: 3.3 for 1.1 times 3. */
const plain = (dollars: number): number => Math.round(dollars * 1e9) / 1e9;

const dated = ({ input, output, cached, written }: Price): DatedPrices => ({
  input: plain(input),
  output: plain(output),
  cached: plain(cached),
  written: plain(written),
  reasoning: plain(output),
  from: null,
});

/** Every price that holds here, the operator's first. */
export const priceEntries = (own: readonly OwnPrice[]): readonly PriceEntry[] => [
  ...own.map((price) => ({ ...price, list: "operator" as const })),
  ...Array.from(priceList, ([model, price]) => ({
    model,
    ...dated(price),
    source: sourceOf(model),
    readOn: listReadOn,
    list: "service" as const,
  })),
];

const matcher = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .toLowerCase()
      .split("*")
      .map((text) => RegExp.escape(text))
      .join(".*")}$`,
    "su",
  );

/** The more a pattern says, the earlier it is asked; of two that say as much the one without a star. */
const precision = (pattern: string): number => pattern.replaceAll("*", "").length + (pattern.includes("*") ? 0 : 0.5);

/** Names that are remembered: there are few in a project, and whoever sends more than these waits for them. */
const mostKnown = 10_000;

/**
 * Tells what models cost. The operator's prices of a pattern take the place of the list's, each from its date on.
 *
 * @param own of all that match a name those of the pattern that says most count.
 */
export const tracePrices = (own: readonly OwnPrice[]): PriceOf => {
  const patterns = [...Map.groupBy(own, ({ model }) => model.toLowerCase())]
    .toSorted(([a], [b]) => precision(b) - precision(a))
    .map(([pattern, prices]) => ({ matches: matcher(pattern), prices }));

  const find = (model: string): ModelPrice | undefined => {
    const name = model.trim().toLowerCase();
    const listed = listedPrice(name);
    const ours = listed === null ? [] : [dated(listed)];
    const owned = patterns.find(({ matches }) => matches.test(name))?.prices ?? [];
    const replaced = owned.some(({ from }) => from === null);
    const all = [...(replaced ? [] : ours), ...owned];
    return all.length === 0 ? undefined : modelPrice(all);
  };

  const known = new Map<string, ModelPrice | undefined>();
  return (model) => {
    if (known.has(model)) return known.get(model);
    const found = find(model);
    if (known.size < mostKnown) known.set(model, found);
    return found;
  };
};
