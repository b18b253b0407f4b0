import type { APIGatewayProxyEvent } from "aws-lambda";

/** What a client's counter said of a request. */
export interface RateState {
  readonly limit: number;
  /** Requests that the client has left in this minute. */
  readonly remaining: number;
  /** Whole seconds until it ends. */
  readonly seconds: number;
}

const states = new WeakMap<APIGatewayProxyEvent, RateState>();

export const noteRate = (event: APIGatewayProxyEvent, state: RateState): void => {
  states.set(event, state);
};

/**
 * The headers of a reply to a request that was counted, as the IETF's draft has them (draft-ietf-httpapi-ratelimit-headers):
 * the policy, and what is left of it.
 */
export const rateHeaders = (event: APIGatewayProxyEvent): Record<string, string> => {
  const state = states.get(event);
  if (state === undefined) return {};
  const { limit, remaining, seconds } = state;
  return { "RateLimit-Policy": `"client";q=${limit};w=60`, RateLimit: `"client";r=${remaining};t=${seconds}` };
};
