import type { TierShares } from "../domain/traces/model-price.ts";

/** Half the price of every kind of token. */
const half = [0.5, 0.5] as const;
/** Half the price, except of tokens read from the cache. */
const halfUncached = [0.5, 1] as const;

/**
 * Prices at service tiers as shares of the standard price, by listed name; read on 26 November 2026 from the makers' price pages. A
 * tier that is not listed has no price: priority costs 1.7 to 2.5 times as much, by model.
 */
const tiers: readonly (readonly [names: RegExp, shares: TierShares])[] = [
  [/^(?:gpt-5(?:\.[1245])?|gpt-5(?:\.4)?-(?:mini|nano)|gpt-5\.[45]-pro|o3|o4-mini)$/u, { batch: half, flex: half }],
  [/^gpt-(?:5\.6(?:-(?:luna|sol|terra))?|6-(?:astra|luna|sol)|6\.1-(?:sol|terra))$/u, { batch: half, flex: half }],
  [/^(?:gpt-4(?:o|o-mini|\.1|\.1-mini|\.1-nano)|gpt-5(?:\.2)?-pro|o1|o1-pro|o3-(?:mini|pro))$/u, { batch: half }],
  [/^(?:text-embedding-3-|claude-)/u, { batch: half }],
  [
    /^gemini-(?:2\.5-(?:pro|flash|flash-lite)|3(?:\.1-pro|-flash)-preview)$/u,
    { batch: halfUncached, flex: halfUncached },
  ],
  [/^gemini-3\.(?:1-flash-lite|5-flash|5-flash-lite|[678]-flash)$/u, { batch: half, flex: half }],
  [/^grok-4\.(?:20|3)/u, { batch: [0.8, 0.8] }],
  [/^(?:global\.)?amazon\.nova-(?:2-lite|premier|pro)$/u, { batch: half, flex: half }],
  [/^(?:amazon\.nova-(?:lite|micro)|meta\.llama(?:3-[13]|4)-)/u, { batch: half }],
  [/^groq\//u, { flex: [1, 1] }],
];

/** Returns the prices of a listed model at service tiers, as shares of its standard price. */
export const tierSharesOf = (name: string): TierShares => tiers.find(([names]) => names.test(name))?.[1] ?? {};
