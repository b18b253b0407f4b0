import { flexShare } from "../prices/price-list.ts";
import { shortestCall, type Complete, type ProviderClient } from "./provider.ts";

/**
 * A provider that sells some models at the flex tier: what it refuses there is asked at the standard tier at once, in what is
 * left of the call's time.
 *
 * @param provider as it stands in front of a model's name. @param now epoch milliseconds.
 */
export const withFlex = (provider: string, client: ProviderClient, now: () => number): ProviderClient => {
  const complete: Complete = async (request) => {
    if (request.tier !== "flex") return client.complete(request);
    const standard = { ...request, tier: "standard" } as const;
    if (flexShare(`${provider}/${request.model}`) === 1) return client.complete(standard);
    const begun = now();
    const answered = await client.complete(request);
    const left = request.timeout - (now() - begun);
    const isRefused = answered.kind === "failure" && answered.atTier === true && left >= shortestCall;
    return isRefused ? client.complete({ ...standard, timeout: left }) : answered;
  };
  return { ...client, complete };
};
