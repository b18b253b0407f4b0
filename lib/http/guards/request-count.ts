import { clientLimit, scaledLimit, usagePlanRate } from "../../contract/limits.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import type { Exchange, RateState } from "../exchange.ts";

/** Returns the state of the usage plan's limit on one client over all routes. Only API Gateway knows its remaining quota. */
export const planRate = (factor: number): RateState => ({
  policy: "plan",
  limit: usagePlanRate(factor),
  window: 1,
  quota: null,
});

/** Returns the refusal of a request above a rate limit. @param retryAfter whole seconds until the next attempt. */
export const rateLimited = (detail: string, retryAfter: number): Refusal =>
  new Refusal({ kind: "rate-limited", detail, retryAfter });

/**
 * Returns a function that counts a client's requests against the limit of a route, per minute. A route without a limit is
 * protected by the usage plan of API Gateway alone.
 *
 * @param factor multiplier of every limit; 1 is the contract.
 * @returns the counting function, which throws Refusal `rate-limited` for a request above the limit.
 */
export const requestCounter =
  (limits: RateLimits, factor: number) =>
  async (client: string, { route, rates }: Exchange): Promise<void> => {
    const perMinute = clientLimit(route);
    if (perMinute === undefined) {
      rates.push(planRate(factor));
      return;
    }
    const limit = scaledLimit(perMinute, factor);
    const { admitted, remaining, seconds } = await limits.count(client, route.id, limit);
    rates.push({ policy: "client", limit, window: 60, quota: { remaining, seconds } });
    if (!admitted) throw rateLimited(`Rate limit exceeded: ${limit} per minute.`, seconds);
  };
