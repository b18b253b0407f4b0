import { flexShare } from "../../prices/judge-prices.ts";
import { minCallTime, type Complete, type ProviderClient } from "./provider.ts";
import type { ProviderKey } from "./provider-settings.ts";

/**
 * Adds a provider's flex service tier (cheaper and slower) to its client. Models without this tier are called at the standard
 * tier; a call that the flex tier refuses is repeated at the standard tier within the same time-out.
 *
 * @param provider provider key before the slash of a model's name.
 * @param now current time, epoch milliseconds.
 */
export const withFlexTier = (provider: ProviderKey, client: ProviderClient, now: () => number): ProviderClient => {
  const complete: Complete = async (request) => {
    if (request.tier !== "flex") return client.complete(request);
    const standard = { ...request, tier: "standard" } as const;
    if (flexShare(`${provider}/${request.model}`) === 1) return client.complete(standard);
    const startedAt = now();
    const completion = await client.complete(request);
    const timeLeft = request.timeout - (now() - startedAt);
    const isRefused = completion.kind === "failure" && completion.isTierRefusal === true && timeLeft >= minCallTime;
    return isRefused ? client.complete({ ...standard, timeout: timeLeft }) : completion;
  };
  return { ...client, complete };
};
