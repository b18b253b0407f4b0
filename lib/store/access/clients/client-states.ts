import * as v from "valibot";
import { epochOf } from "../../../domain/instant.ts";
import { batchGet } from "../../../dynamo/batches.ts";
import type { Database } from "../../../dynamo/database.ts";
import { isInPlan, storedGatewayKey } from "./gateway-keys.ts";
import type { Item } from "../../../dynamo/items.ts";
import { gatewayKeyCountKey, gatewayKeyKey, gatewayKeyShareKey } from "../keys.ts";

/** State of an API client (a user or an API key) that has a key of API Gateway or waits for one. */
export interface ClientState {
  /** The client as text: the kind and id of a user or an API key (see `clientOf`). */
  readonly client: string;
  /** Organizations that the client is recorded to belong to. */
  readonly holders: ReadonlySet<string>;
  /** The client's gateway key in use; null if there is none in the usage plan. */
  readonly key: StoredKey | null;
}

interface StoredKey {
  readonly id: string;
  /** Creation time, epoch milliseconds. */
  readonly createdAt: number;
  /** False for a key older than the names of plans in items. */
  readonly isPlanNamed: boolean;
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

const stateOf = ({ pk, holders, ...key }: v.InferOutput<typeof clientItem>, plan: string): ClientState => ({
  client: pk.slice(prefix.length),
  holders: holders ?? new Set<string>(),
  key:
    key.value === undefined || key.id === undefined || key.created_at === undefined || !isInPlan(key, plan)
      ? null
      : { id: key.id, createdAt: epochOf(key.created_at), isPlanNamed: key.plan !== undefined },
});

/**
 * Returns the state of the API client in an item of the access table; null when the item is not about an API Gateway
 * key.
 *
 * @param plan name of the clients' usage plan.
 * @throws ValiError when the item cannot be parsed.
 */
export const clientStateOf = (item: Item, plan: string): ClientState | null =>
  item["sk"] === sort ? stateOf(v.parse(clientItem, item), plan) : null;

const counter = v.object({ sk: v.string(), n: v.optional(v.number(), 0) });

/** @param plan name of the clients' usage plan. */
export const clientStates = (database: Database, plan: string): ClientStates => ({
  of: async (clients) => {
    const items = await batchGet(database, "access", [...new Set(clients)].map(gatewayKeyKey));
    const states = items.filter((item) => v.is(clientItem, item)).map((item) => stateOf(item, plan));
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
