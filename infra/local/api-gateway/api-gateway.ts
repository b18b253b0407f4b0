import { serveJson, ServiceError, type JsonRequest } from "../host/json-server.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import type { GatewayKey, GatewayKeys } from "./gateway-keys.ts";

type Handle = (request: JsonRequest, ...ids: readonly string[]) => unknown;

const defaultLimit = 25;
const maxLimit = 500;

const written = ({ id, name, value, enabled, createdAt }: GatewayKey, withValue: boolean) => ({
  id,
  name,
  enabled,
  createdDate: createdAt,
  lastUpdatedDate: createdAt,
  stageKeys: [],
  ...(withValue && { value }),
});

const writtenInPlan = ({ id, name, value }: GatewayKey) => ({ id, name, value, type: "API_KEY" });

const randomValue = (): string => (crypto.randomUUID() + crypto.randomUUID()).replaceAll("-", "").slice(0, 40);

/** One page of a list; `position` is where the next one begins. */
const page = <T>(all: readonly T[], { url }: JsonRequest) => {
  const limit = Math.min(Number(url.searchParams.get("limit") ?? defaultLimit), maxLimit);
  const from = Number(url.searchParams.get("position") ?? 0);
  const end = from + limit;
  return { item: all.slice(from, end), ...(end < all.length && { position: String(end) }) };
};

const named = (keys: readonly GatewayKey[], query: string | null): readonly GatewayKey[] =>
  query === null ? keys : keys.filter(({ name }) => name.startsWith(query));

const operations = (keys: GatewayKeys): readonly (readonly [method: string, path: RegExp, handle: Handle])[] => [
  [
    "POST",
    /^\/apikeys$/,
    ({ body: { name = "", value = randomValue(), enabled } }) =>
      written(keys.create({ name: String(name), value: String(value), enabled: enabled === true }), true),
  ],
  [
    "GET",
    /^\/apikeys$/,
    (request) => {
      const { searchParams } = request.url;
      const { item, ...rest } = page(named(keys.all(), searchParams.get("name")), request);
      return { item: item.map((key) => written(key, searchParams.get("includeValues") === "true")), ...rest };
    },
  ],
  [
    "GET",
    /^\/apikeys\/([^/]+)$/,
    ({ url }, id = "") => written(keys.get(id), url.searchParams.get("includeValue") === "true"),
  ],
  ["DELETE", /^\/apikeys\/([^/]+)$/, (_request, id = "") => keys.delete(id)],
  [
    "POST",
    /^\/usageplans\/([^/]+)\/keys$/,
    ({ body }, plan = "") => writtenInPlan(keys.addToPlan(plan, String(body["keyId"]))),
  ],
  [
    "GET",
    /^\/usageplans\/([^/]+)\/keys$/,
    (request, plan = "") => {
      const found = named(keys.inPlan(plan), request.url.searchParams.get("name"));
      return page(found.map(writtenInPlan), request);
    },
  ],
  ["DELETE", /^\/usageplans\/([^/]+)\/keys\/([^/]+)$/, (_request, plan = "", id = "") => keys.removeFromPlan(plan, id)],
];

/**
 * API Gateway's control plane over its REST protocol: keys, and the keys of usage plans. The local gateway knows a key, and
 * knows it no more, at once.
 *
 * Does not do: everything else (the template makes APIs, stages and plans); changes of a key, import, tags, stage keys,
 * customer ids, usage; the account's limits on calls and keys. Every reply is a 200, where AWS says 201 and 202.
 */
export const startApiGateway = async (keys: GatewayKeys): Promise<Endpoint> => {
  const known = operations(keys);
  return serveJson((request) => {
    const { pathname } = request.url;
    for (const [method, path, handle] of known) {
      const match = request.method === method ? path.exec(pathname) : null;
      if (match !== null) return handle(request, ...match.slice(1).map(decodeURIComponent));
    }
    throw new ServiceError("BadRequestException", `The local API Gateway does not do ${request.method} ${pathname}.`);
  });
};
