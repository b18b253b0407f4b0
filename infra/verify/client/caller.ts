import type { Client } from "../../../lib/client/client.ts";
import type { Route } from "../../../lib/contract/route.ts";
import type { Exchange, Reply, Wire } from "./exchange.ts";

type Query = Readonly<Record<string, string | number | readonly string[]>>;

/** A request by its route. `bytes` go out as they are, `body` as JSON. */
interface CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly bytes?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly alone?: boolean;
}

/** Calls the interface as somebody. */
export interface Caller {
  /** Calls that have to succeed: a refusal, and a reply of another shape than the route's, is thrown. */
  readonly client: Client;
  /** Whatever comes back. */
  call(route: Route, options?: CallOptions): Promise<Reply>;
  /** A request that is of no route. */
  send(wire: Wire): Promise<Reply>;
}

const pathOf = ({ path }: Route, params: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""));

const queryOf = (query: Query = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === "object" ? value : [String(value)]).map((each): [string, string] => [name, each]),
  );
  return pairs.length === 0 ? "" : `?${String(new URLSearchParams(pairs))}`;
};

/** Calls with these headers. @param client of the same credentials. */
export const callerWith = ({ send }: Exchange, own: Readonly<Record<string, string>>, client: Client): Caller => {
  const call: Caller["call"] = (route, { params, query, body, bytes, headers = {}, alone = false } = {}) => {
    const sent = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    return send({
      method: route.method,
      path: pathOf(route, params) + queryOf(query),
      headers: { ...own, ...(sent === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      bytes: sent,
      alone,
    });
  };
  return {
    client,
    call,
    send: (wire) => send({ ...wire, headers: { ...own, ...wire.headers } }),
  };
};
