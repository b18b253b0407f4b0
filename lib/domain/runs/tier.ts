/** Service tiers of a provider: `standard`, or the cheaper and slower `flex`. */
export const serviceTiers = ["standard", "flex"] as const;
/** Service tier of a provider's API. */
export type ServiceTier = (typeof serviceTiers)[number];
