import { inject } from "vitest";
import type { Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { type Client, clientWith, newProject } from "./client.ts";
import type { Reply } from "../reply-shape.ts";

const service = inject("service");

/** A project that what is asked of every route is asked in. */
export const project = newProject(service);

export const json = { "Content-Type": "application/json" };

/** Routes with the names that tests call them by. */
export const named = (chosen: readonly Route[]): (readonly [name: string, route: Route])[] =>
  chosen.map((route) => [`${route.method} ${route.path}`, route]);

/** The routes that speak the service's own JSON. */
export const ours = routes.filter(({ protocol }) => protocol === undefined);

/** A call that gets as far as its body; an empty object is sent where one is expected. */
export const minimal = (client: Client, route: Route, params: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  client.call(route, { params, ...(route.body === undefined ? {} : { bytes: "{}" }) });

/** A caller whom a route lets in. */
export const callerOf = ({ access }: Route): Client =>
  access === "user" ? clientWith(service, { Authorization: `Bearer ${service.tenant.bearerToken}` }) : project;
