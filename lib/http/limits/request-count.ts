import type { APIGatewayProxyEvent } from "aws-lambda";
import { factored, limitOf } from "../../contract/limits.ts";
import type { Route } from "../../contract/route.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import { guardOf, noteRate } from "./rate-state.ts";

/** The refusal of a request that is one too many. @param retryAfter whole seconds. */
export const tooMany = (detail: string, retryAfter: number): Refusal =>
  new Refusal({ kind: "rate-limited", detail, retryAfter });

/**
 * Counts the requests of a client against a route's limit. A route without one is under the usage plan's guard alone, of which
 * nobody knows what is left.
 *
 * @param factor on every limit; 1 is the contract.
 * @returns a function that throws the Refusal `rate-limited` of the request that is one too many.
 */
export const requestCount =
  (limits: RateLimits, factor: number) =>
  async (client: string, route: Route, event: APIGatewayProxyEvent): Promise<void> => {
    const perMinute = limitOf(route);
    if (perMinute === undefined) {
      noteRate(event, guardOf(factor));
      return;
    }
    const limit = factored(perMinute, factor);
    const { admitted, remaining, seconds } = await limits.count(client, route.id, limit);
    noteRate(event, { policy: "client", limit, window: 60, left: { remaining, seconds } });
    if (!admitted) throw tooMany(`Rate limit exceeded: ${limit} per minute.`, seconds);
  };
