import * as v from "valibot";
import { createClient, type Client } from "../../../lib/client/client.ts";
import type { Credentials } from "../../../lib/client/credentials.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { saying, type Exchange, type Reply } from "./exchange.ts";

const parametersOf = ({ path }: Route): number => path.split("{").length;

/** The routes, those first whose path has fewer parameters: theirs is the address where two fit. */
const patterns = routes
  .toSorted((a, b) => parametersOf(a) - parametersOf(b))
  .map((route) => ({ route, pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u") }));

const routeOf = (method: string, path: string): Route | undefined =>
  patterns.find(({ route, pattern }) => route.method === method && pattern.test(path))?.route;

/** @throws Error for a reply of another status than the route's success, or of another shape. */
const judge = (route: Route, reply: Reply): void => {
  const name = `${route.method} ${route.path}`;
  if (reply.status !== route.success) throw new Error(`${name} answered ${saying(reply)} in place of ${route.success}`);
  const result = v.safeParse(route.reply, route.success === 204 ? undefined : reply.body);
  if (result.success) return;
  const [issue] = result.issues;
  throw new Error(`${name} answered in another shape: ${v.getDotPath(issue) ?? "the body"}: ${issue.message}`);
};

/** The client's way to a deployment: verify's own connections, every reply judged before the client reads it. */
const judging =
  ({ send }: Exchange, baseUrl: string): typeof globalThis.fetch =>
  async (input, { method = "GET", headers, body } = {}) => {
    if (typeof input !== "string") throw new TypeError("The client names its addresses as texts.");
    const path = input.slice(baseUrl.length);
    const bytes = typeof body === "string" ? body : undefined;
    const reply = await send({ method, path, headers: Object.fromEntries(new Headers(headers)), bytes });
    const route = routeOf(method, path.split("?")[0] ?? "");
    if (route !== undefined) judge(route, reply);
    const { status } = reply;
    return new Response(status === 204 ? null : reply.text, {
      status,
      headers: { "content-type": "application/json" },
    });
  };

/**
 * The client that programs use, over verify's connections. Nothing is repeated: what comes is what is judged.
 *
 * @param baseUrl without a slash at its end.
 * @param patience milliseconds a request may take; the exchange ends it.
 */
export const typedClient = (
  exchange: Exchange,
  baseUrl: string,
  patience: number,
  credentials: Credentials | undefined,
): Client =>
  createClient({ baseUrl, credentials, retries: 0, timeout: 2 * patience, fetch: judging(exchange, baseUrl) });
