import * as v from "valibot";
import { createClient, type Client } from "../../../lib/client/client.ts";
import type { Credentials } from "../../../lib/client/credentials.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { replyExcerpt, type Exchange, type Reply } from "./exchange.ts";

const parametersOf = ({ path }: Route): number => path.split("{").length;

/** Routes with path patterns, sorted by number of parameters, so that static paths win. */
const patterns = routes
  .toSorted((a, b) => parametersOf(a) - parametersOf(b))
  .map((route) => ({ route, pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u") }));

const routeOf = (method: string, path: string): Route | undefined =>
  patterns.find(({ route, pattern }) => route.method === method && pattern.test(path))?.route;

/** Checks a reply. @throws Error for another status than the route's success status, or a body that does not match its schema. */
const requireSuccess = (route: Route, reply: Reply): void => {
  const name = `${route.method} ${route.path}`;
  if (reply.status !== route.success)
    throw new Error(`${name} answered ${replyExcerpt(reply)} instead of ${route.success}`);
  const result = v.safeParse(route.reply, route.success === 204 ? undefined : reply.body);
  if (result.success) return;
  const [issue] = result.issues;
  throw new Error(`${name} answered with an unexpected body: ${v.getDotPath(issue) ?? "the body"}: ${issue.message}`);
};

/** A `fetch` for the client that uses verify's connections and checks every reply before the client reads it. */
const validatingFetch =
  ({ send }: Exchange, baseUrl: string): typeof globalThis.fetch =>
  async (input, { method = "GET", headers, body } = {}) => {
    if (typeof input !== "string") throw new TypeError("The URL must be a string.");
    const path = input.slice(baseUrl.length);
    const bytes = typeof body === "string" ? body : undefined;
    const reply = await send({ method, path, headers: Object.fromEntries(new Headers(headers)), bytes });
    const route = routeOf(method, path.split("?")[0] ?? "");
    if (route !== undefined) requireSuccess(route, reply);
    const { status } = reply;
    return new Response(status === 204 ? null : reply.text, {
      status,
      headers: { "content-type": "application/json" },
    });
  };

/**
 * Creates the public client library over verify's connections, without retries, so that each reply itself is checked.
 *
 * @param baseUrl base URL without a trailing slash
 * @param timeout maximum milliseconds of a request, which the exchange enforces
 */
export const typedClient = (
  exchange: Exchange,
  baseUrl: string,
  timeout: number,
  credentials: Credentials | undefined,
): Client =>
  createClient({ baseUrl, credentials, retries: 0, timeout: 2 * timeout, fetch: validatingFetch(exchange, baseUrl) });
