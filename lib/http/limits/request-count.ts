import type { APIGatewayProxyEvent } from "aws-lambda";
import { scaledLimit, clientLimit } from "../../contract/limits.ts";
import type { Route } from "../../contract/route.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import { planRate, setRateState } from "./rate-state.ts";

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
  async (client: string, route: Route, event: APIGatewayProxyEvent): Promise<void> => {
    const perMinute = clientLimit(route);
    if (perMinute === undefined) {
      setRateState(event, planRate(factor));
      return;
    }
    const limit = scaledLimit(perMinute, factor);
    const { admitted, remaining, seconds } = await limits.count(client, route.id, limit);
    setRateState(event, { policy: "client", limit, window: 60, quota: { remaining, seconds } });
    if (!admitted) throw rateLimited(`Rate limit exceeded: ${limit} per minute.`, seconds);
  };
