import type { APIGatewayProxyEvent } from "aws-lambda";
import { factored, limitOf } from "../contract/limits.ts";
import type { Route } from "../contract/route.ts";
import { Refusal } from "../domain/refusal.ts";
import type { RateLimits } from "../store/limits/rate-limits.ts";
import { noteRate } from "./rate-state.ts";

/**
 * Counts the requests of a client against a route's limit.
 *
 * @param factor on every limit; 1 is the contract.
 * @returns a function that throws the Refusal `rate-limited` of the request that is one too many.
 */
export const requestCount =
  (limits: RateLimits, factor: number) =>
  async (client: string, route: Route, event: APIGatewayProxyEvent): Promise<void> => {
    const limit = limitOf(route);
    if (limit === undefined) return;
    const perMinute = factored(limit, factor);
    const { admitted, remaining, seconds } = await limits.count(client, route.id, perMinute);
    noteRate(event, { limit: perMinute, remaining, seconds });
    if (admitted) return;
    throw new Refusal({
      kind: "rate-limited",
      detail: `Rate limit exceeded: ${perMinute} per minute.`,
      retryAfter: seconds,
    });
  };
