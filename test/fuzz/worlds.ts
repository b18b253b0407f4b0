import type { Route } from "../../lib/contract/route.ts";
import { semaphore, type Semaphore } from "../../lib/async/semaphore.ts";
import { type Client, newProject } from "../support/service/client.ts";
import type { Service } from "../support/service/service.ts";
import type { Mode } from "./mode.ts";
import { make } from "./kinds.ts";
import { surfaceOf } from "./surface.ts";

/** A project for requests of one sort, and what is in it. */
export interface World {
  readonly name: string;
  readonly client: Client;
  /** Ids of things that exist, for a route's path. */
  params(route: Route): Promise<Readonly<Record<string, string>>>;
  /** Things that its lists hold, altogether. */
  count(): Promise<number>;
}

export interface Worlds {
  of(route: Route, mode: Mode): World;
}

/** What traces add up to: no things of their own. */
const derived = new Set(["/sessions", "/traces/users"]);

/** Lists of everything in a project. */
const isList = ({ method, access, path }: Route): boolean =>
  method === "GET" && access === "project" && !path.includes("{") && !derived.has(path);

/** Lists read at a time, of all projects: each is a function of its own, which has to be started. */
const parallel = 4;

const lengthOf = (body: unknown): number => {
  if (typeof body !== "object" || body === null || !("total" in body) || !("items" in body)) return 0;
  // The total may lag behind; what is on the page does not.
  return Math.max(Number(body.total), Array.isArray(body.items) ? body.items.length : 0);
};

const idNames = (route: Route): readonly string[] => Object.keys(surfaceOf(route).params);

const made = async (names: Iterable<string>, client: Client): Promise<Readonly<Record<string, string>>> => {
  const ids = await Promise.all([...new Set(names)].map(async (name) => [name, await make(name, client)] as const));
  const things: Readonly<Record<string, string>> = Object.fromEntries(ids);
  // A span's trace has its id: the two go together.
  return things["span_id"] === undefined ? things : { ...things, trace_id: things["span_id"] };
};

/** @param users routes that are called in it; null: what they name is made for each call, as they change it. */
const newWorld = (
  service: Service,
  name: string,
  turns: Semaphore,
  lists: readonly Route[],
  users: readonly Route[] | null,
): World => {
  const client = newProject(service);
  const things = users === null ? null : made(users.flatMap(idNames), client);
  return {
    name,
    client,
    params: (route) => things ?? made(idNames(route), client),
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
 * Projects for a campaign: one in which everything is refused, two that are read, and one each for the routes that change
 * something, so that what one makes is no work for another. What is changed on purpose is made anew each time.
 */
export const worldsOf = (service: Service, all: readonly Route[]): Worlds => {
  const routes = all.filter(({ access, protocol }) => access !== "user" && protocol === undefined);
  const worlds = new Map<string, World>();
  const lists = routes.filter(isList);
  const turns = semaphore(parallel);
  return {
    of: (route, mode) => {
      const changes = route.method !== "GET";
      // Noise may change the method too, and delete what others read.
      const name = mode === "refused" ? "refused" : changes ? `${mode} ${route.id}` : `${mode} read`;
      const users = changes && mode === "raw" ? [route] : routes;
      const world =
        worlds.get(name) ?? newWorld(service, name, turns, lists, changes && mode === "valid" ? null : users);
      worlds.set(name, world);
      return world;
    },
  };
};
