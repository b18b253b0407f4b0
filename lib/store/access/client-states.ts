import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { storedGatewayKey } from "./gateway-keys.ts";
import type { Item } from "./items.ts";
import { gatewayKeyCountKey, gatewayKeyKey } from "./keys.ts";

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
  /** How many gateway keys there are. */
  count(): Promise<number>;
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

const counter = v.object({ n: v.optional(v.number(), 0) });

export const clientStates = (database: Database): ClientStates => ({
  of: async (clients) => {
    const items = await batchGet(database, "access", [...new Set(clients)].map(gatewayKeyKey));
    const known = items.filter((item) => v.is(stored, item)).map(stateOf);
    return new Map(known.map((state) => [state.client, state]));
  },

  count: async () => {
    const { client, table } = database;
    const { Item = {} } = await client.send(new GetCommand({ TableName: table("access"), Key: gatewayKeyCountKey }));
    return v.parse(counter, Item).n;
  },
});
