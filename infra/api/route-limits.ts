import { limitOf, mostCountable } from "../../lib/contract/limits.ts";
import type { Route } from "../../lib/contract/route.ts";
import type { Settings } from "../settings/settings.ts";

/** @throws Error naming what is no route, another one's second address, or public: nobody is known there whose requests could be counted. */
const checkNames = (routes: readonly Route[], limits: Settings["limits"]): void => {
  for (const id of Object.keys(limits)) {
    const route = routes.find((each) => each.id === id);
    if (route === undefined) throw new Error(`The setting limits names ${id}, which is no route.`);
    if (route.answeredBy !== undefined)
      throw new Error(`The setting limits names ${id}, which counts as ${route.answeredBy}: name that one.`);
    if (route.access === "public") throw new Error(`The setting limits names ${id}, whose callers are not known.`);
  }
};

/** @throws Error naming a ceiling of what is no route of an organization's, or has no limit that it would be beside. */
const checkCeilings = (
  routes: readonly Route[],
  limits: Settings["limits"],
  ceilings: Settings["organizationLimits"],
): void => {
  for (const id of Object.keys(ceilings)) {
    const route = routes.find((each) => each.id === id && each.access !== "public");
    if (route === undefined || (limits[id] ?? limitOf(route)) === undefined)
      throw new Error(`The setting organizationLimits names ${id}, which is no route whose clients have a limit.`);
  }
};

/** @throws Error saying what to set when a limit is more than can be counted. */
const checkCountable = (routes: readonly Route[], limitFactor: number): void => {
  for (const { id, limitPerMinute = 0 } of routes) {
    if (limitPerMinute * limitFactor <= mostCountable) continue;
    throw new Error(
      `The limit of ${id}, ${limitPerMinute} requests per minute and client times limitFactor ${limitFactor}, is more than the ` +
        `${mostCountable} that can be counted exactly: set limits.${id} to ${Math.floor(mostCountable / limitFactor)} at most, ` +
        `or limitFactor to ${Math.floor((100 * mostCountable) / limitPerMinute) / 100} at most.`,
    );
  }
};

/**
 * The routes with the operator's limits in place of the contract's, and on routes that have none.
 *
 * @throws Error with one sentence when a limit is of no route, or more than can be counted.
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
