import type { Client } from "../../../lib/client/client.ts";
import type { Route } from "../../../lib/contract/route.ts";
import type { Exchange, Reply, RawRequest } from "./exchange.ts";

type Query = Readonly<Record<string, string | number | readonly string[]>>;

/** Parameters and body of a request to a route. `bytes` is sent unchanged, `body` as JSON. */
interface CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly bytes?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hasOwnConnection?: boolean;
}

/** Calls of the API with one set of credentials. */
export interface Caller {
  /** Typed client for calls that must succeed: throws for an error reply and for a body that does not match the route's schema. */
  readonly client: Client;
  /** Calls a route and returns any reply, including errors. */
  call(route: Route, options?: CallOptions): Promise<Reply>;
  /** Sends a request that does not belong to a route. */
  send(rawRequest: RawRequest): Promise<Reply>;
}

const pathOf = ({ path }: Route, params: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""));

const queryOf = (query: Query = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === "object" ? value : [String(value)]).map((each): [string, string] => [name, each]),
  );
  return pairs.length === 0 ? "" : `?${String(new URLSearchParams(pairs))}`;
};

/** Creates a caller that sends credential headers. @param client typed client with the same credentials */
export const callerWith = (
  { send }: Exchange,
  credentialHeaders: Readonly<Record<string, string>>,
  client: Client,
): Caller => {
  const call: Caller["call"] = (route, { params, query, body, bytes, headers = {}, hasOwnConnection = false } = {}) => {
    const bodyBytes = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    return send({
      method: route.method,
      path: pathOf(route, params) + queryOf(query),
      headers: {
        ...credentialHeaders,
        ...(bodyBytes === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      bytes: bodyBytes,
      hasOwnConnection,
    });
  };
  return {
    client,
    call,
    send: (rawRequest) => send({ ...rawRequest, headers: { ...credentialHeaders, ...rawRequest.headers } }),
  };
};
