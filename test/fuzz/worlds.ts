import type { Route } from "../../lib/contract/route.ts";
import { type Semaphore, semaphore } from "../../lib/async/concurrency.ts";
import { type Client, newProject } from "../support/service/client.ts";
import type { Service } from "../support/service/service.ts";
import type { Mode } from "./mode.ts";
import { kindOf } from "./id-positions.ts";
import { make } from "./kinds.ts";
import { surfaceOf } from "./surface.ts";

/** A project for requests of one mode, with its items. */
export interface World {
  readonly name: string;
  readonly client: Client;
  /** Ids of existing items for a route's path. */
  params(route: Route): Promise<Readonly<Record<string, string>>>;
  /** Total number of items in the project's lists. */
  count(): Promise<number>;
}

export interface Worlds {
  of(route: Route, mode: Mode): World;
}

/** Lists of all items in a project: they are at the paths where the items are created. */
const listsOf = (routes: readonly Route[]): readonly Route[] => {
  const created = new Set(routes.filter(({ method }) => method === "POST").map(({ path }) => path));
  return routes.filter(
    ({ method, access, path }) => method === "GET" && access === "project" && !path.includes("{") && created.has(path),
  );
};

/** Number of lists read concurrently over all projects, as each list starts its own function. */
const parallel = 4;

/** The list of alerts has one of each monitor, too, which is no item of its own. */
const isOfMonitor = (item: unknown): boolean => (Object(item).monitor_id ?? null) !== null;

const lengthOf = (body: unknown): number => {
  if (Array.isArray(body)) return body.filter((item) => !isOfMonitor(item)).length;
  if (typeof body !== "object" || body === null || !("total" in body) || !("items" in body)) return 0;
  const items: readonly unknown[] = Array.isArray(body.items) ? body.items : [];
  // The total may lag; the page itself does not.
  return Math.max(Number(body.total), items.length) - items.filter(isOfMonitor).length;
};

const kindsOf = (route: Route): readonly string[] =>
  Object.keys(surfaceOf(route).params).map((name) => kindOf(route, name));

/** Creates an item of each kind. @returns their ids by kind. */
const createThings = async (kinds: Iterable<string>, client: Client): Promise<Readonly<Record<string, string>>> => {
  const ids = await Promise.all([...new Set(kinds)].map(async (kind) => [kind, await make(kind, client)] as const));
  const things: Readonly<Record<string, string>> = Object.fromEntries(ids);
  // A span shares its id with its trace.
  return things["span_id"] === undefined ? things : { ...things, trace_id: things["span_id"] };
};

/**
 * @param users routes called in the project; null if their items are created for each call, because the calls change
 * them.
 */
const newWorld = (
  service: Service,
  name: string,
  turns: Semaphore,
  lists: readonly Route[],
  users: readonly Route[] | null,
): World => {
  const client = newProject(service);
  const things = users === null ? null : createThings(users.flatMap(kindsOf), client);
  return {
    name,
    client,
    params: async (route) => {
      const ids = await (things ?? createThings(kindsOf(route), client));
      return Object.fromEntries(
        Object.keys(surfaceOf(route).params).map((name) => [name, ids[kindOf(route, name)] ?? ""]),
      );
    },
    count: async () => {
      await things;
      const replies = await Promise.all(
        lists.map((route) => {
          const query = surfaceOf(route).query["limit"] ? { limit: 200 } : {};
          return turns(() => client.call(route, { query }));
        }),
      );
      return replies.reduce((sum, { body }) => sum + lengthOf(body), 0);
    },
  };
};

/**
 * Creates the projects of a campaign: one for refused requests, two for reads, and one for each changing route. Items
 * changed by valid requests are created for each request.
 */
export const worldsOf = (service: Service, allRoutes: readonly Route[]): Worlds => {
  const routes = allRoutes.filter(({ access, protocol }) => access !== "user" && protocol === undefined);
  const worlds = new Map<string, World>();
  const lists = listsOf(routes);
  const turns = semaphore(parallel);
  return {
    of: (route, mode) => {
      const changes = route.method !== "GET";
      // Random requests may have another method and delete data that others read.
      const name = mode === "refused" ? "refused" : changes ? `${mode} ${route.id}` : `${mode} read`;
      const users = changes && mode === "raw" ? [route] : routes;
      const world =
        worlds.get(name) ?? newWorld(service, name, turns, lists, changes && mode === "valid" ? null : users);
      worlds.set(name, world);
      return world;
    },
  };
};
