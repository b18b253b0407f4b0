/** How soon a provider answers: at once, or as it has room, for less. */
export const tiers = ["standard", "flex"] as const;
export type Tier = (typeof tiers)[number];
