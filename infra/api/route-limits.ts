import type { Route } from "../../lib/contract/route.ts";

/**
 * The routes with the operator's limits in place of the contract's, and on routes that have none.
 *
 * @param limits requests per minute and client by route id.
 * @throws Error naming what is no route, or a public one: nobody is known there whose requests could be counted.
 */
export const withLimits = (routes: readonly Route[], limits: Readonly<Record<string, number>>): readonly Route[] => {
  for (const id of Object.keys(limits)) {
    const route = routes.find((each) => each.id === id);
    if (route === undefined) throw new Error(`The setting limits names ${id}, which is no route.`);
    if (route.access === "public") throw new Error(`The setting limits names ${id}, whose callers are not known.`);
  }
  return routes.map((route) => {
    const limitPerMinute = limits[route.id];
    return limitPerMinute === undefined ? route : { ...route, limitPerMinute };
  });
};
