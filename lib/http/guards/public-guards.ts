import { createHash } from "node:crypto";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import * as v from "valibot";
import type { AccessGuard, ForwardedCaller } from "../exchange.ts";
import { callerContext } from "./principal-context.ts";
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

/**
 * Returns the access guard of a route that calls other routes: the authorizer has verified the credential, and those routes check what it
 * permits and count their limits.
 *
 * @param requestsPerSecond as for `openGuard`.
 */
export const verifiedGuard = (requestsPerSecond: number): AccessGuard<ForwardedCaller> => ({
  admit: async (exchange) => {
    await openGuard(requestsPerSecond).admit(exchange);
    const verified = v.parse(callerContext, exchange.event.requestContext.authorizer);
    if (verified.kind === "user") return { principal: { kind: "user", userId: verified.userId }, keyAccess: null };
    const { keyId, organizationId, scope } = verified;
    return { principal: { kind: "key", keyId, organizationId }, keyAccess: scope.access };
  },
});
