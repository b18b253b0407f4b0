import { randomUUID } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import type { InferOutput } from "valibot";
import type { Route } from "../../../lib/contract/route.ts";
import { checkReply, expectStatus, type Reply, withoutAsked } from "../reply-shape.ts";
import type { Service, Tenant } from "./service.ts";

/** Headers to send; a list is sent as several headers, undefined leaves out what would be sent. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request by its route. `bytes` go out as they are, `body` as JSON; a `query` of text goes out as it is. */
interface CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string | Readonly<Record<string, string | number | readonly string[]>>;
  readonly body?: unknown;
  readonly bytes?: string | Uint8Array;
  readonly headers?: Headers;
}

/** A request as it goes over the wire. `route` is what should answer it, null when nothing should. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly bytes?: string | Uint8Array | undefined;
  readonly route?: Route | null;
}

/** A caller, within one project. */
export interface Client {
  readonly headers: Headers;
  call<R extends Route>(route: R, options?: CallOptions): Promise<Reply<InferOutput<R["reply"]>>>;
  /** A page of a list that has to succeed, also where the list is a bare array unless a page is asked for. */
  page<R extends Route>(
    route: R,
    options?: Omit<CallOptions, "query"> & { readonly query?: Exclude<CallOptions["query"], string> },
  ): Promise<Extract<InferOutput<R["reply"]>, { readonly items: unknown }>>;
  /** The body of a call that has to succeed. */
  answer<R extends Route>(route: R, options?: CallOptions): Promise<InferOutput<R["reply"]>>;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Milliseconds: longer than any answer takes on a busy machine; a request that hangs fails here. */
export const patience = 120_000;

const read = async (response: IncomingMessage): Promise<Reply> => {
  const text = await textOf(response);
  const isPage = response.headers["content-type"]?.startsWith("text/html") === true;
  const body: unknown = text === "" ? undefined : isPage ? text : JSON.parse(text);
  return { status: response.statusCode ?? 0, headers: response.headers, text, body };
};

const exchange = (service: Service, { method, path, headers = {}, bytes }: WireRequest): Promise<Reply> => {
  const { hostname, port } = new URL(service.baseUrl);
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const options = { hostname, port, method, path, agent, signal: AbortSignal.timeout(patience) };
  const sending = request(options, (response) => void read(response).then(resolve, reject));
  for (const [name, value] of given) sending.setHeader(name, value as string | readonly string[]);
  sending.on("error", reject);
  if (bytes !== undefined) sending.setHeader("Content-Length", Buffer.byteLength(bytes));
  sending.end(bytes);
  return promise;
};

/** Sends a request and checks what holds for every reply. */
export const send = async (service: Service, wire: WireRequest): Promise<Reply> => {
  // Links lead to where the service was asked for: a request may say another host.
  const isElsewhere = Object.keys(wire.headers ?? {}).some((name) => name.toLowerCase() === "host");
  const reply = withoutAsked(await exchange(service, wire), isElsewhere ? undefined : service.baseUrl);
  checkReply(reply, wire.method, wire.route ?? null, service.hidden);
  return reply;
};

/** A route's path with its parameters put in, percent-encoded. */
export const pathOf = (route: Route, params: Readonly<Record<string, string>> = {}): string =>
  route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? randomUUID()));

const queryOf = (query: CallOptions["query"]): string => {
  if (query === undefined) return "";
  if (typeof query === "string") return `?${query}`;
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly string[]) : [String(value)]).map(
      (each) => [name, each] as [string, string],
    ),
  );
  return `?${String(new URLSearchParams(pairs))}`;
};

const json = { "Content-Type": "application/json" };

/** A caller that sends these headers. */
export const clientWith = (service: Service, headers: Headers): Client => {
  const call: Client["call"] = async (route: Route, options: CallOptions = {}) => {
    const { params, query, body } = options;
    const bytes = options.bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const reply = await send(service, {
      method: route.method,
      path: `${pathOf(route, params)}${queryOf(query)}`,
      headers: { ...headers, ...(bytes === undefined ? {} : json), ...options.headers },
      bytes,
      route,
    });
    return reply;
  };
  return {
    headers,
    call,
    page: async (route, options = {}) => {
      const reply = await call(route, { ...options, query: { offset: 0, ...options.query } });
      expectStatus(reply, route.success);
      return reply.body as Extract<InferOutput<(typeof route)["reply"]>, { readonly items: unknown }>;
    },
    answer: async (route, options) => {
      const reply = await call(route, options);
      expectStatus(reply, route.success);
      return reply.body;
    },
  };
};

/** A caller by API key, in a project that nobody else uses. */
export const newProject = (service: Service, tenant: Tenant = service.tenant): Client =>
  clientWith(service, { "X-API-Key": tenant.apiKey, "X-Project-Name": `test-${randomUUID()}` });

/** A caller by bearer token. */
export const bearerClient = (service: Service, projectId: string, tenant: Tenant = service.tenant): Client =>
  clientWith(service, { Authorization: `Bearer ${tenant.bearerToken}`, "X-Project-ID": projectId });
