import * as v from "valibot";
import { batchGet } from "../../batch-get.ts";
import type { Database } from "../../database.ts";
import { storedGatewayKey } from "./gateway-keys.ts";
import type { Item } from "../items.ts";
import { gatewayKeyCountKey, gatewayKeyKey, gatewayKeyShareKey } from "../keys.ts";

/** How a client that is noted stands. */
export interface ClientState {
  /** As text (see `clientOf`). */
  readonly client: string;
  /** Organizations that are noted to have it. */
  readonly holders: ReadonlySet<string>;
  /** Whether its gateway key is made and in use. */
  readonly made: boolean;
}

export interface ClientStates {
  /** Those of some clients that are noted, by client, strongly read; without those that cannot be read. */
  of(clients: Iterable<string>): Promise<ReadonlyMap<string, ClientState>>;
  /** Tells of an organization how many gateway keys there are, and how many of them it has taken. */
  taken(
    organizations: Iterable<string>,
  ): Promise<(organization: string) => { readonly total: number; readonly own: number }>;
}

const [prefix, sort] = [gatewayKeyKey("").pk, gatewayKeyKey("").sk];

const stored = v.object({ pk: v.string(), ...storedGatewayKey.entries });

const stateOf = ({ pk, holders, value }: v.InferOutput<typeof stored>): ClientState => ({
  client: pk.slice(prefix.length),
  holders: holders ?? new Set<string>(),
  made: value !== undefined,
});

/** What an item of the access table says of a client's gateway key: null when it is not about one. @throws when it cannot be read. */
export const clientStateOf = (item: Item): ClientState | null =>
  item["sk"] === sort ? stateOf(v.parse(stored, item)) : null;

const counter = v.object({ sk: v.string(), n: v.optional(v.number(), 0) });

export const clientStates = (database: Database): ClientStates => ({
  of: async (clients) => {
    const items = await batchGet(database, "access", [...new Set(clients)].map(gatewayKeyKey));
    const known = items.filter((item) => v.is(stored, item)).map(stateOf);
    return new Map(known.map((state) => [state.client, state]));
  },

  taken: async (organizations) => {
    const keys = [gatewayKeyCountKey, ...[...new Set(organizations)].map(gatewayKeyShareKey)];
    const items = (await batchGet(database, "access", keys)).map((item) => v.parse(counter, item));
    const counted = new Map(items.map(({ sk, n }) => [sk, n]));
    return (organization) => ({
      total: counted.get(gatewayKeyCountKey.sk) ?? 0,
      own: counted.get(gatewayKeyShareKey(organization).sk) ?? 0,
    });
  },
});
