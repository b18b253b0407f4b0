import * as v from "valibot";
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
  /** Whatever comes back. */
  call(route: Route, options?: CallOptions): Promise<Reply>;
  /** The body of a call that has to succeed. @throws Error when it is refused, or not of the route's shape. */
  answer<R extends Route>(route: R, options?: CallOptions): Promise<v.InferOutput<R["reply"]>>;
  /** A request that is of no route. */
  send(wire: Wire): Promise<Reply>;
}

/** The beginning of what a reply says, for people. */
export const saying = ({ status, text }: Reply): string => `${status} ${text.slice(0, 200)}`.trim();

const pathOf = ({ path }: Route, params: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""));

const queryOf = (query: Query = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === "object" ? value : [String(value)]).map((each): [string, string] => [name, each]),
  );
  return pairs.length === 0 ? "" : `?${String(new URLSearchParams(pairs))}`;
};

const parsed = <Schema extends v.GenericSchema>(schema: Schema, body: unknown, of: string): v.InferOutput<Schema> => {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new Error(`${of} answered in another shape: ${v.getDotPath(issue) ?? "the body"}: ${issue.message}`);
};

/** Calls with these headers. */
export const callerWith = ({ send }: Exchange, own: Readonly<Record<string, string>>): Caller => {
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
    call,
    answer: async (route, options) => {
      const reply = await call(route, options);
      const name = `${route.method} ${route.path}`;
      if (reply.status !== route.success)
        throw new Error(`${name} answered ${saying(reply)} in place of ${route.success}`);
      return parsed(route.reply, route.success === 204 ? undefined : reply.body, name);
    },
    send: (wire) => send({ ...wire, headers: { ...own, ...wire.headers } }),
  };
};
