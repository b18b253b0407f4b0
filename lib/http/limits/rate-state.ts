import type { APIGatewayProxyEvent } from "aws-lambda";
import { usagePlanRate } from "../../contract/limits.ts";

/** State of one rate limit that applies to a request. */
export interface RateState {
  /** Scope of the limit: the client on a route, its organization, its usage plan, or the whole API Gateway stage. */
  readonly policy: "client" | "organization" | "plan" | "gateway";
  /** Requests allowed per window. */
  readonly limit: number;
  /** Length of the window in seconds. */
  readonly window: number;
  /** Remaining requests and whole seconds until the window ends; null if unknown. */
  readonly quota: { readonly remaining: number; readonly seconds: number } | null;
}

/** Returns the state of the usage plan's limit on one client over all routes. Only API Gateway knows its remaining quota. */
export const planRate = (factor: number): RateState => ({
  policy: "plan",
  limit: usagePlanRate(factor),
  window: 1,
  quota: null,
});

const states = new WeakMap<APIGatewayProxyEvent, readonly RateState[]>();

/** Adds a rate limit to a request; it replaces a previous state of the same policy. */
export const setRateState = (event: APIGatewayProxyEvent, state: RateState): void => {
  const otherStates = (states.get(event) ?? []).filter(({ policy }) => policy !== state.policy);
  states.set(event, [...otherStates, state]);
};

/** Formats limits as a `RateLimit-Policy` header (draft-ietf-httpapi-ratelimit-headers-11). */
const policiesText = (limits: readonly Pick<RateState, "policy" | "limit" | "window">[]): string =>
  limits.map(({ policy, limit, window }) => `"${policy}";q=${limit};w=${window}`).join(", ");

/** Returns the headers `RateLimit-Policy` and `RateLimit` of a request's limits; unknown quotas are left out of `RateLimit`. */
export const rateHeaders = (event: APIGatewayProxyEvent): Record<string, string> => {
  const limits = states.get(event) ?? [];
  const headerItems = limits.flatMap(({ policy, quota }) =>
    quota === null ? [] : [`"${policy}";r=${quota.remaining};t=${quota.seconds}`],
  );
  return {
    ...(limits.length > 0 && { "RateLimit-Policy": policiesText(limits) }),
    ...(headerItems.length > 0 && { RateLimit: headerItems.join(", ") }),
  };
};
