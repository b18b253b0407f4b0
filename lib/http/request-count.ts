import type { Route } from "../contract/route.ts";
import { Refusal } from "../domain/refusal.ts";
import type { RateLimits } from "../store/access/rate-limits.ts";

/**
 * Counts the requests of a client against a route's limit.
 *
 * @param factor on every limit; 1 is the contract.
 * @returns a function that throws the Refusal `rate-limited` of the request that is one too many.
 */
export const requestCount =
  (limits: RateLimits, factor: number) =>
  async (client: string, route: Route): Promise<void> => {
    if (route.limitPerMinute === undefined) return;
    const perMinute = Math.max(1, Math.round(route.limitPerMinute * factor));
    const retryAfter = await limits.count(client, route.id, perMinute);
    if (retryAfter === null) return;
    throw new Refusal({
      kind: "rate-limited",
      detail: `Rate limit exceeded: ${perMinute} per minute.`,
      retryAfter,
    });
  };
