import { resolveModel } from "../../domain/model.ts";
import type { Tokens } from "../completion.ts";
import { makerName } from "./maker-name.ts";
import { priceList } from "./price-list.ts";

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

/** Rules cost nothing. */
const free: Price = { input: 0, cached: 0, output: 0, written: 0 };

const times = ({ input, cached, output, written }: Price, factor: number): Price => ({
  input: input * factor,
  cached: cached * factor,
  output: output * factor,
  written: written * factor,
});

/** What a model, `<provider>/<model>`, costs; null when that is not known, which is never the same as nothing. */
export const priceOf = (model: string, own: Prices): Price | null => {
  const given = own.get(model);
  if (given !== undefined) return given;
  const resolved = resolveModel(model);
  if (resolved === null) return null;
  if (resolved.provider === "offline") return free;
  const maker = makerName(resolved);
  const listed = maker === null ? undefined : priceList.get(maker.name);
  return maker === null || listed === undefined ? null : times(listed, maker.factor);
};

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
