import { createHash } from "node:crypto";
import type { RateLimits } from "../store/limits/rate-limits.ts";
import type { Gate } from "./gate.ts";
import { noteRate } from "./limits/rate-state.ts";
import { requestCount } from "./limits/request-count.ts";

/**
 * The gate of a public route that has a limit: nobody is known there, so requests are counted by the address that the
 * gateway saw them come from. Only its hash is kept.
 *
 * @param factor on every limit; 1 is the contract.
 */
export const addressGate = (limits: RateLimits, factor: number): Gate<object> => {
  const count = requestCount(limits, factor);
  return {
    admit: async (event, route) => {
      const hash = createHash("sha256").update(event.requestContext.identity.sourceIp).digest("hex");
      await count(`address#${hash.slice(0, 32)}`, route, event);
      return {};
    },
  };
};

/**
 * The gate of a public route without a limit of its own: everybody comes in.
 *
 * @param requestsPerSecond that the gateway lets through, of all clients together.
 */
export const openGate = (requestsPerSecond: number): Gate<object> => ({
  admit: async (event) => {
    noteRate(event, { policy: "gateway", limit: requestsPerSecond, window: 1, left: null });
    return {};
  },
});
