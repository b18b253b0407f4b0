import type { APIGatewayProxyEvent } from "aws-lambda";
import { parse, type GenericSchema } from "valibot";
import type { Route } from "../../lib/contract/route.ts";
import { parseLossless } from "../../lib/domain/json.ts";
import { Refusal } from "../../lib/domain/refusal.ts";
import { type Paging, pagingOf } from "../../lib/http/paging.ts";
import { replyWriters } from "../../lib/http/reply.ts";
import type { Answer, Call, Query } from "../model/caller.ts";
import { parseExact } from "../model/exact-json.ts";

type Input = GenericSchema | undefined;
type Parsed<Schema extends Input> = Schema extends GenericSchema<unknown, infer Output> ? Output : undefined;

/** A route answered by the stores, without gateway and functions. */
export interface StoreRoute {
  readonly route: Route;
  readonly answer: (request: { params: unknown; query: unknown; body: unknown; paging: Paging }) => Promise<unknown>;
}

/** Binds a route to the function that answers it. */
export const storeRoute = <Params extends Input, Query extends Input, Body extends Input>(
  route: Route<Params, Query, Body>,
  answer: (request: {
    params: Parsed<Params>;
    query: Parsed<Query>;
    body: Parsed<Body>;
    paging: Paging;
  }) => Promise<unknown>,
): StoreRoute => ({ route, answer: answer as StoreRoute["answer"] });

const paramsOf = (route: Route, path: string): Record<string, string> | null => {
  const [pattern, segments] = [route.path.split("/"), path.split("/")];
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith("{")) params[part.slice(1, -1)] = decodeURIComponent(segment);
    else if (part !== segment) return null;
  }
  return params;
};

const listsOf = (query: Query): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || [value].flat().length === 0 ? [] : [[name, [value].flat().map(String)]],
    ),
  );

/** Paging parameters of a request, also for routes that are not lists. */
const pageOf = (route: Route, params: Record<string, string>, query: Query, parsed: unknown): Paging => {
  const event = { pathParameters: params, multiValueQueryStringParameters: listsOf(query) };
  return pagingOf(route, event as unknown as APIGatewayProxyEvent, "", parsed ?? {});
};

const statusOf = (error: unknown): number => {
  if (!(error instanceof Refusal)) throw error;
  if (error.reason.kind === "not-found") return 404;
  throw error;
};

/**
 * A service made of stores alone, which parses requests by their routes' schemas. Routes with static paths must precede
 * those with parameters.
 */
export const storeService =
  (routes: readonly StoreRoute[]): Call =>
  async (method, path, { query = {}, body } = {}): Promise<Answer> => {
    for (const { route, answer } of routes) {
      const params = route.method === method ? paramsOf(route, path) : null;
      if (params === null) continue;
      try {
        const parsed = route.query && parse(route.query, listsOf(query));
        const reply = await answer({
          params,
          query: parsed,
          paging: pageOf(route, params, query, parsed),
          body: route.body && parse(route.body, parseLossless(body ?? "null")),
        });
        const exactReply = reply === undefined ? undefined : parseExact(replyWriters(route).reply(reply));
        return { status: route.success, value: exactReply };
      } catch (error) {
        return { status: statusOf(error), value: undefined };
      }
    }
    throw new Error(`No route answers ${method} ${path}.`);
  };
