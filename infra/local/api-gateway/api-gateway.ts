import { serveJson, ServiceError, type JsonRequest } from "../host/json-server.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import type { GatewayKey, GatewayKeys } from "./gateway-keys.ts";

type Handle = (request: JsonRequest, ...ids: readonly string[]) => unknown;

const defaultLimit = 25;
const maxLimit = 500;

const keyResponse = ({ id, name, value, enabled, createdAt }: GatewayKey, withValue: boolean) => ({
  id,
  name,
  enabled,
  createdDate: createdAt,
  lastUpdatedDate: createdAt,
  stageKeys: [],
  ...(withValue && { value }),
});

const planKeyResponse = ({ id, name, value }: GatewayKey) => ({ id, name, value, type: "API_KEY" });

const randomValue = (): string => (crypto.randomUUID() + crypto.randomUUID()).replaceAll("-", "").slice(0, 40);

/** Cuts one page out of a list. `position` in the reply is the cursor of the next page. */
const page = <T>(items: readonly T[], { url }: JsonRequest) => {
  const limit = Math.min(Number(url.searchParams.get("limit") ?? defaultLimit), maxLimit);
  const start = Number(url.searchParams.get("position") ?? 0);
  const end = start + limit;
  return { item: items.slice(start, end), ...(end < items.length && { position: String(end) }) };
};

const withNamePrefix = (keys: readonly GatewayKey[], prefix: string | null): readonly GatewayKey[] =>
  prefix === null ? keys : keys.filter(({ name }) => name.startsWith(prefix));

const operations = (keys: GatewayKeys): readonly (readonly [method: string, path: RegExp, handle: Handle])[] => [
  [
    "POST",
    /^\/apikeys$/,
    ({ body: { name = "", value = randomValue(), enabled, tags = {} } }) =>
      keyResponse(
        keys.create({
          name: String(name),
          value: String(value),
          enabled: enabled === true,
          tags: tags as Readonly<Record<string, string>>,
        }),
        true,
      ),
  ],
  [
    "GET",
    /^\/apikeys$/,
    (request) => {
      const { searchParams } = request.url;
      const { item, ...nextPage } = page(withNamePrefix(keys.all(), searchParams.get("name")), request);
      return { item: item.map((key) => keyResponse(key, searchParams.get("includeValues") === "true")), ...nextPage };
    },
  ],
  [
    "GET",
    /^\/apikeys\/([^/]+)$/,
    ({ url }, id = "") => keyResponse(keys.get(id), url.searchParams.get("includeValue") === "true"),
  ],
  ["DELETE", /^\/apikeys\/([^/]+)$/, (_request, id = "") => keys.delete(id)],
  [
    "POST",
    /^\/usageplans\/([^/]+)\/keys$/,
    ({ body }, plan = "") => planKeyResponse(keys.addToPlan(plan, String(body["keyId"]))),
  ],
  [
    "GET",
    /^\/usageplans\/([^/]+)\/keys$/,
    (request, plan = "") => {
      const planKeys = withNamePrefix(keys.inPlan(plan), request.url.searchParams.get("name"));
      return page(planKeys.map(planKeyResponse), request);
    },
  ],
  ["DELETE", /^\/usageplans\/([^/]+)\/keys\/([^/]+)$/, (_request, plan = "", id = "") => keys.removeFromPlan(plan, id)],
];

/**
 * Starts API Gateway's control plane: the REST operations on API keys and on the keys of usage plans. The local gateway accepts a
 * new key, and refuses a deleted one, at once.
 *
 * Not supported: all other operations (APIs, stages and plans come from the template); changes of a key, import, tags, stage
 * keys, customer ids, usage; the account's limits. Every reply has status 200, also where AWS sends 201 or 202.
 */
export const startApiGateway = async (keys: GatewayKeys): Promise<Endpoint> => {
  const routes = operations(keys);
  return serveJson((request) => {
    const { pathname } = request.url;
    for (const [method, path, handle] of routes) {
      const match = request.method === method ? path.exec(pathname) : null;
      if (match !== null) return handle(request, ...match.slice(1).map(decodeURIComponent));
    }
    throw new ServiceError(
      "BadRequestException",
      `The local API Gateway does not support ${request.method} ${pathname}.`,
    );
  });
};
