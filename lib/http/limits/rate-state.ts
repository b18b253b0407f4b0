import type { APIGatewayProxyEvent } from "aws-lambda";
import { guardPerSecond } from "../../contract/limits.ts";

/** One limit that a request is under, and what is known of what is left of it. */
export interface RateState {
  /** What the limit is of: a client of a route, an organization, or what the gateway lets through. */
  readonly policy: "client" | "organization" | "plan" | "gateway";
  /** Requests in a window. */
  readonly limit: number;
  /** Seconds. */
  readonly window: number;
  /** Requests left in this window, and whole seconds until it ends; null where nobody can tell. */
  readonly left: { readonly remaining: number; readonly seconds: number } | null;
}

/** The usage plan's guard on one client, whatever it calls; what is left of it nobody but the gateway knows. */
export const guardOf = (factor: number): RateState => ({
  policy: "plan",
  limit: guardPerSecond(factor),
  window: 1,
  left: null,
});

const states = new WeakMap<APIGatewayProxyEvent, readonly RateState[]>();

export const noteRate = (event: APIGatewayProxyEvent, state: RateState): void => {
  const others = (states.get(event) ?? []).filter(({ policy }) => policy !== state.policy);
  states.set(event, [...others, state]);
};

/** The policies of limits, as the IETF's draft has them (draft-ietf-httpapi-ratelimit-headers-11). */
const policiesText = (all: readonly Pick<RateState, "policy" | "limit" | "window">[]): string =>
  all.map(({ policy, limit, window }) => `"${policy}";q=${limit};w=${window}`).join(", ");

/** The headers of a reply: the limits that its request was under, and what is left of those that are counted. */
export const rateHeaders = (event: APIGatewayProxyEvent): Record<string, string> => {
  const all = states.get(event) ?? [];
  const told = all.flatMap(({ policy, left }) =>
    left === null ? [] : [`"${policy}";r=${left.remaining};t=${left.seconds}`],
  );
  return {
    ...(all.length > 0 && { "RateLimit-Policy": policiesText(all) }),
    ...(told.length > 0 && { RateLimit: told.join(", ") }),
  };
};
