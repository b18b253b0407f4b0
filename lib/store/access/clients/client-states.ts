import * as v from "valibot";
import { batchGet } from "../../../dynamo/batches.ts";
import type { Database } from "../../../dynamo/database.ts";
import { storedGatewayKey } from "./gateway-keys.ts";
import type { Item } from "../../../dynamo/items.ts";
import { gatewayKeyCountKey, gatewayKeyKey, gatewayKeyShareKey } from "../keys.ts";

/** State of an API client (a user or an API key) that has a key of API Gateway or waits for one. */
export interface ClientState {
  /** The client as text: the kind and id of a user or an API key (see `clientOf`). */
  readonly client: string;
  /** Organizations that the client is recorded to belong to. */
  readonly holders: ReadonlySet<string>;
  /** True if the client's gateway key exists and is in use. */
  readonly hasKey: boolean;
}

/** Reader of the API Gateway keys of API clients (users and API keys). */
export interface ClientStates {
  /** Reads the states of clients by client, strongly consistent; unknown clients and unparsable items are left out. */
  of(clients: Iterable<string>): Promise<ReadonlyMap<string, ClientState>>;
  /**
   * Reads the counters of API Gateway keys.
   *
   * @returns a function from an organization to two counts: `total`, the keys of the deployment, and `ofOrganization`,
   *   the organization's keys.
   */
  countKeys(
    organizations: Iterable<string>,
  ): Promise<(organization: string) => { readonly total: number; readonly ofOrganization: number }>;
}

const [prefix, sort] = [gatewayKeyKey("").pk, gatewayKeyKey("").sk];

const clientItem = v.object({ pk: v.string(), ...storedGatewayKey.entries });

const stateOf = ({ pk, holders, value }: v.InferOutput<typeof clientItem>): ClientState => ({
  client: pk.slice(prefix.length),
  holders: holders ?? new Set<string>(),
  hasKey: value !== undefined,
});

/**
 * Returns the state of the API client in an item of the access table; null when the item is not about an API Gateway
 * key.
 *
 * @throws ValiError when the item cannot be parsed.
 */
export const clientStateOf = (item: Item): ClientState | null =>
  item["sk"] === sort ? stateOf(v.parse(clientItem, item)) : null;

const counter = v.object({ sk: v.string(), n: v.optional(v.number(), 0) });

export const clientStates = (database: Database): ClientStates => ({
  of: async (clients) => {
    const items = await batchGet(database, "access", [...new Set(clients)].map(gatewayKeyKey));
    const states = items.filter((item) => v.is(clientItem, item)).map(stateOf);
    return new Map(states.map((state) => [state.client, state]));
  },

  countKeys: async (organizations) => {
    const keys = [gatewayKeyCountKey, ...[...new Set(organizations)].map(gatewayKeyShareKey)];
    const items = (await batchGet(database, "access", keys)).map((item) => v.parse(counter, item));
    const countByKey = new Map(items.map(({ sk, n }) => [sk, n]));
    return (organization) => ({
      total: countByKey.get(gatewayKeyCountKey.sk) ?? 0,
      ofOrganization: countByKey.get(gatewayKeyShareKey(organization).sk) ?? 0,
    });
  },
});
