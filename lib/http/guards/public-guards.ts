import { createHash } from "node:crypto";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import type { AccessGuard } from "../exchange.ts";
import { requestCounter } from "./limits.ts";

/**
 * Returns the access guard of a public route with a rate limit. Requests are counted by source IP address; only a hash of
 * the address is stored.
 *
 * @param factor multiplier of every rate limit; 1 is the contract.
 */
export const addressGuard = (limits: RateLimits, factor: number): AccessGuard<object> => {
  const count = requestCounter(limits, factor);
  return {
    admit: async (exchange) => {
      const hash = createHash("sha256").update(exchange.event.requestContext.identity.sourceIp).digest("hex");
      await count(`address#${hash.slice(0, 32)}`, exchange);
      return {};
    },
  };
};

/**
 * Returns the access guard of a public route without a rate limit: it admits every request.
 *
 * @param requestsPerSecond API Gateway's limit for all clients together, reported in `RateLimit-Policy`.
 */
export const openGuard = (requestsPerSecond: number): AccessGuard<object> => ({
  admit: async ({ rateStates }) => {
    rateStates.push({ policy: "gateway", limit: requestsPerSecond, window: 1, quota: null });
    return {};
  },
});
