import { epochOf, type Instant } from "../instant.ts";

/** Kinds of tokens with prices of their own at few models: of sound, and of prompts written to a cache for an hour. */
export const rarePriceKeys = ["audio", "audioCached", "audioOutput", "writtenHour"] as const;

/** Prices in US dollars per million tokens of kinds that few models have; a kind without a price has no cost. */
export type RarePrices = { readonly [Key in (typeof rarePriceKeys)[number]]?: number };

/** Prices of a model in US dollars per million tokens. */
export interface TokenPrices extends RarePrices {
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

/** Prices at service tiers as shares of the standard price: of tokens read from a cache, `cached`, and of others. */
export type TierShares = Readonly<Record<string, readonly [share: number, cached: number]>>;

/** Name of the standard service tier. */
export const standardTier = "standard";

/** Prices of every service tier that equal the standard price. */
export const anyTier: TierShares = { "*": [1, 1] };

/** Prices that apply from an instant on; null for the first ones. */
export interface DatedPrices extends TokenPrices {
  readonly from: Instant | null;
  /** Number of prompt tokens above which these prices replace the preceding ones; 0 or absent for any prompt. */
  readonly above?: number;
  /** Hours (UTC) in which these prices replace the preceding ones, as `01:00-04:00,06:00-10:00`, behind `weekdays,` if not at weekends; empty or absent for any. */
  readonly hours?: string;
  /** Prices at other service tiers; a tier that is not listed has no price. */
  readonly tiers?: TierShares;
}

/** Prices of long prompts or of some hours, behind their conditions. */
type PackedVariant = readonly [above: number, hours: string, prices: PackedPrices];

type PackedField = number | Instant | readonly PackedVariant[] | TierShares | RarePrices;

/**
 * Prices in the order input, output, cached, written, reasoning, from, variants, tiers, rare kinds; trailing values that equal their
 * defaults are omitted.
 */
type PackedPrices = readonly [input: number, output: number, ...others: readonly PackedField[]];

/**
 * Price history of a model in ascending order. Every span of a document may contain one, so it is kept in its compact
 * stored form: cached and written tokens default to the input price, reasoning tokens to the output price.
 */
export type ModelPrice = readonly PackedPrices[];

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/** Prices of rare kinds, each multiplied by the share of its tier. */
const rarePrices = (prices: RarePrices, share = 1, cachedShare = 1): RarePrices =>
  Object.fromEntries(
    rarePriceKeys.flatMap((key) => {
      const dollars = prices[key];
      return dollars === undefined ? [] : [[key, dollars * (key === "audioCached" ? cachedShare : share)]];
    }),
  );

const packPrices = (
  { input, output, cached, written, reasoning, ...others }: TokenPrices,
  from: Instant | null = null,
  variants: readonly PackedVariant[] = [],
  tiers: TierShares = {},
): PackedPrices => {
  const rare = rarePrices(others);
  const optionalFields: PackedField[] = [cached, written, reasoning, from ?? "", variants, tiers, rare];
  const objects = [variants, tiers, rare].map((value) => (isEmpty(value) ? value : null));
  const defaults = [input, input, output, "", ...objects];
  while (optionalFields.length > 0 && optionalFields.at(-1) === defaults[optionalFields.length - 1])
    optionalFields.pop();
  return [input, output, ...optionalFields];
};

/** Packs the price history of a model. Prices with a condition follow those that they replace. */
export const modelPrice = (prices: readonly DatedPrices[]): ModelPrice => {
  const groups: { readonly usual: DatedPrices; readonly variants: PackedVariant[] }[] = [];
  const days = Map.groupBy(prices, ({ from }) => from ?? "");
  for (const each of [...days.keys()].toSorted().flatMap((day) => days.get(day) ?? [])) {
    const { above = 0, hours = "" } = each;
    if (above === 0 && hours === "") groups.push({ usual: each, variants: [] });
    else groups.at(-1)?.variants.push([above, hours, packPrices(each)]);
  }
  return groups.map(({ usual, variants }) => packPrices(usual, usual.from, variants, usual.tiers));
};

/** True if an instant is within hours of the form of `DatedPrices`; the end of an hour is exclusive. */
const isWithin = (hours: string, at: Instant): boolean => {
  const time = at.slice(11, 16);
  const isWeekend = [0, 6].includes(new Date(epochOf(at)).getUTCDay());
  const [first, ...windows] = hours.split(",");
  if (first === "weekdays" && isWeekend) return false;
  return [first ?? "", ...windows].some((window) => {
    const [start = "", end = ""] = window.split("-");
    return start <= time && time < end;
  });
};

const amount = (value: PackedField | undefined, defaultValue: number): number =>
  typeof value === "number" ? value : defaultValue;

const isTierShares = (field: PackedField | undefined): field is TierShares =>
  typeof field === "object" && !Array.isArray(field);

const isRarePrices = (field: PackedField | undefined): field is RarePrices =>
  typeof field === "object" && !Array.isArray(field);

/** Returns the prices of a prompt of so many tokens at an instant and a service tier; null before the first date, and for an unlisted tier. */
export const pricesAt = (
  price: ModelPrice,
  at: Instant,
  promptTokens: number,
  tier = standardTier,
): TokenPrices | null => {
  const current = price.findLast(([, , , , , from]) => typeof from !== "string" || from <= at);
  if (current === undefined) return null;
  const variants = Array.isArray(current[6]) ? current[6] : [];
  const tiers = isTierShares(current[7]) ? current[7] : {};
  const [share, cachedShare] = (tier === standardTier ? anyTier["*"] : (tiers[tier] ?? tiers["*"])) ?? [null, null];
  if (share === null) return null;
  const variant = variants.findLast(
    ([above, hours]) => (above === 0 || promptTokens > above) && (hours === "" || isWithin(hours, at)),
  );
  const [input, output, cached, written, reasoning, , , , rare] = variant?.[2] ?? current;
  return {
    ...(isRarePrices(rare) && rarePrices(rare, share, cachedShare)),
    input: input * share,
    output: output * share,
    cached: amount(cached, input) * cachedShare,
    written: amount(written, input) * share,
    reasoning: amount(reasoning, output) * share,
  };
};
