import { clientLimit, maxCountedPerMinute } from "../../lib/contract/limits.ts";
import type { Route } from "../../lib/contract/route.ts";
import { nearestName } from "../../lib/domain/nearest-name.ts";
import type { Settings } from "../settings/settings.ts";

/** @throws Error if a setting names a route that is served by another route's function: settings reach functions, not routes. */
const checkServedAlone = (setting: string, { id, answeredBy }: Route): void => {
  if (answeredBy !== undefined)
    throw new Error(`The setting ${setting} names ${id}, an alias of ${answeredBy}: set the limit of ${answeredBy}.`);
};

/** Returns the nearest route id as the end of a sentence. */
const routeAdvice = (routes: readonly Route[], id: string): string => {
  const near = nearestName(
    id,
    routes.map((route) => route.id),
  );
  return near === null ? ": GET /openapi.json has all ids." : `; did you mean ${near}?`;
};

/** @throws Error if a limit names no route, an alias of another route, or a public route, whose callers are unknown and cannot be counted. */
const checkNames = (routes: readonly Route[], limits: Settings["limits"]): void => {
  for (const id of Object.keys(limits)) {
    const route = routes.find((each) => each.id === id);
    if (route === undefined)
      throw new Error(`The setting limits names ${id}, which is not a route${routeAdvice(routes, id)}`);
    checkServedAlone("limits", route);
    if (route.access === "public")
      throw new Error(`The setting limits names ${id}, a public route, whose callers are unknown.`);
  }
};

/** @throws Error if an organization limit names no route, a public route, or a route without a limit per client. */
const checkCeilings = (
  routes: readonly Route[],
  limits: Settings["limits"],
  ceilings: Settings["organizationLimits"],
): void => {
  const limitedRoutes = routes.filter(
    (each) => each.access !== "public" && (limits[each.id] ?? clientLimit(each)) !== undefined,
  );
  for (const id of Object.keys(ceilings)) {
    const route = limitedRoutes.find((each) => each.id === id);
    if (route === undefined)
      throw new Error(
        `The setting organizationLimits names ${id}, which is not a route with a limit per client${routeAdvice(limitedRoutes, id)}`,
      );
    checkServedAlone("organizationLimits", route);
  }
};

/** @throws Error with the settings to change if a limit exceeds the exact counter's maximum. */
const checkCountable = (routes: readonly Route[], limitFactor: number): void => {
  for (const { id, limitPerMinute } of routes) {
    if (limitPerMinute === undefined || limitPerMinute * limitFactor <= maxCountedPerMinute) continue;
    throw new Error(
      `The limit of ${id}, ${limitPerMinute} requests per minute and client times limitFactor ${limitFactor}, is more than the ` +
        `${maxCountedPerMinute} that can be counted exactly: set limits.${id} to ${Math.floor(maxCountedPerMinute / limitFactor)} at most, ` +
        `or limitFactor to ${Math.floor((100 * maxCountedPerMinute) / limitPerMinute) / 100} at most.`,
    );
  }
};

/**
 * Returns the routes with the operator's limits, which replace limits of the contract or add limits to routes without one.
 *
 * @throws Error with one sentence if a limit names an unsuitable route or exceeds the counter's maximum.
 */
export const withLimits = (
  routes: readonly Route[],
  { limits, limitFactor, organizationLimits }: Pick<Settings, "limits" | "limitFactor" | "organizationLimits">,
): readonly Route[] => {
  checkNames(routes, limits);
  checkCeilings(routes, limits, organizationLimits);
  const limited = routes.map((route) => {
    const limitPerMinute = limits[route.id];
    return limitPerMinute === undefined ? route : { ...route, limitPerMinute };
  });
  checkCountable(limited, limitFactor);
  return limited;
};
