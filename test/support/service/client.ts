import { randomUUID } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import type { InferOutput } from "valibot";
import type { Route } from "../../../lib/contract/route.ts";
import { checkReply, expectStatus, type Reply, withoutRequestDetails } from "../reply-shape.ts";
import { decodedText } from "./decoded-text.ts";
import type { Service, Tenant } from "./service.ts";

/** Request headers; a list is sent as several headers, undefined omits a default header. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Parameters of a route's request. `bytes` are sent unchanged, `body` as JSON; a `query` of type text is sent
 * unchanged.
 */
interface CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string | Readonly<Record<string, string | number | readonly string[]>>;
  readonly body?: unknown;
  readonly bytes?: string | Uint8Array;
  readonly headers?: Headers;
}

/** A request on the wire. `route` is the route expected to answer, null for none. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly bytes?: string | Uint8Array | undefined;
  readonly route?: Route | null;
}

/** A client within one project. */
export interface Client {
  readonly headers: Headers;
  call<R extends Route>(route: R, options?: CallOptions): Promise<Reply<InferOutput<R["reply"]>>>;
  /** Requests a page of a list and expects success, also where the list is an array unless paged. */
  page<R extends Route>(
    route: R,
    options?: Omit<CallOptions, "query"> & { readonly query?: Exclude<CallOptions["query"], string> },
  ): Promise<Extract<InferOutput<R["reply"]>, { readonly items: unknown }>>;
  /** Sends a request, expects success and returns the body. */
  answer<R extends Route>(route: R, options?: CallOptions): Promise<InferOutput<R["reply"]>>;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Request time-out in milliseconds, longer than any reply takes on a busy machine. */
export const requestTimeout = 120_000;

const readReply = async (response: IncomingMessage): Promise<Reply> => {
  const text = decodedText(await buffer(response), response.headers["content-encoding"]);
  const type = response.headers["content-type"] ?? "";
  // Lines may be none; a page that has not changed has no body.
  const isText = type.startsWith("application/x-ndjson") || (text !== "" && type.startsWith("text/"));
  const body: unknown = isText ? text : text === "" ? undefined : JSON.parse(text);
  return { status: response.statusCode ?? 0, headers: response.headers, text, body };
};

const exchange = (service: Service, { method, path, headers = {}, bytes }: WireRequest): Promise<Reply> => {
  const { hostname, port } = new URL(service.baseUrl);
  const sentHeaders = Object.entries(headers).filter(([, value]) => value !== undefined);
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const options = { hostname, port, method, path, agent, signal: AbortSignal.timeout(requestTimeout) };
  const sending = request(options, (response) => void readReply(response).then(resolve, reject));
  for (const [name, value] of sentHeaders) sending.setHeader(name, value as string | readonly string[]);
  sending.on("error", reject);
  if (bytes !== undefined) sending.setHeader("Content-Length", Buffer.byteLength(bytes));
  sending.end(bytes);
  return promise;
};

/** Sends a request and checks the properties common to all replies. */
export const send = async (service: Service, wire: WireRequest): Promise<Reply> => {
  // Links contain the requested host, which a request may override.
  const isElsewhere = Object.keys(wire.headers ?? {}).some((name) => name.toLowerCase() === "host");
  const reply = withoutRequestDetails(await exchange(service, wire), isElsewhere ? undefined : service.baseUrl);
  checkReply(reply, wire.method, wire.route ?? null, service.hidden);
  return reply;
};

/** A route's path with percent-encoded parameters. */
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

/** A client that sends these headers with every request. */
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

/** A client with an API key, in a new project. */
export const newProject = (service: Service, tenant: Tenant = service.tenant): Client =>
  clientWith(service, { "X-API-Key": tenant.apiKey, "X-Project-Name": `test-${randomUUID()}` });

/** A client with a bearer token. */
export const bearerClient = (service: Service, projectId: string, tenant: Tenant = service.tenant): Client =>
  clientWith(service, { Authorization: `Bearer ${tenant.bearerToken}`, "X-Project-ID": projectId });
