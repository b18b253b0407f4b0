import { gatewayKeyRoom, hasRoom } from "../domain/access/gateway-key-room.ts";
import type { ClientHolders, Holding } from "../store/access/clients/client-holders.ts";
import { clientStateOf, type ClientState, type ClientStates } from "../store/access/clients/client-states.ts";
import type { Item } from "../store/access/items.ts";
import { clientOfItem, type ClientChange } from "../stream/client-change.ts";
import { settling } from "./settle.ts";
import type { GatewayKeySync } from "./sync.ts";

/** What the reconciliation of gateway keys needs. */
export interface Reconciling {
  readonly holders: ClientHolders;
  readonly states: ClientStates;
  readonly sync: GatewayKeySync;
  /** Keys that there may be. */
  readonly most: number;
}

/** Mends one thing. Made again, it ends the same. */
type Repair = () => Promise<unknown>;

/** What the items of a page say: who has which client, and how clients stand. */
interface Seen {
  readonly changes: readonly ClientChange[];
  readonly clients: readonly ClientState[];
  readonly faults: readonly unknown[];
}

const seenIn = (items: readonly Item[]): Seen => {
  const [changes, clients, faults]: [ClientChange[], ClientState[], unknown[]] = [[], [], []];
  for (const item of items) {
    try {
      const [change, client] = [clientOfItem(item), clientStateOf(item)];
      if (change !== null) changes.push(change);
      if (client !== null) clients.push(client);
    } catch (fault) {
      faults.push(fault);
    }
  }
  return { changes, clients, faults };
};

/**
 * Finds, in a page of the access table, the clients whose gateway key is not as it should be since a record of the table's
 * stream was lost: one that is missing or was left half made, one that nobody has any more. The page may be old; what is to
 * be done is decided by what is there when it is done.
 *
 * @returns how each is mended. What cannot be read fails when its turn comes, by itself.
 */
export const gatewayKeyLook = ({ holders, states, sync, most }: Reconciling) => {
  const settle = settling(holders, sync.apply);
  const room = gatewayKeyRoom(most);

  /** Of who is said to have a client, or not any more: what is noted otherwise. */
  const missed = async (changes: readonly ClientChange[]): Promise<readonly Holding[]> => {
    const noted = await states.of(changes.map(({ client }) => client));
    const isNew = ({ client, held }: ClientChange): boolean => held && !noted.has(client);
    // Without room for another key there is nothing to mend: who has none is on the shared one, and is looked at again in an hour.
    const taken = await states.taken(changes.filter(isNew).map(({ organization }) => organization));
    const mayTake = ({ organization }: ClientChange): boolean => {
      const { total, own } = taken(organization);
      return hasRoom(room, total, own);
    };
    return changes.filter((change) => {
      const state = noted.get(change.client);
      if (state === undefined) return isNew(change) && mayTake(change);
      return change.held !== state.holders.has(change.organization) || (change.held && !state.made);
    });
  };

  /** Of clients that are noted: who has them no more, and one of those who wait for their key. */
  const left = async (clients: readonly ClientState[]): Promise<readonly Holding[]> => {
    const noted = clients.flatMap(({ client, holders: own }) =>
      [...own].map((organization) => ({ client, organization })),
    );
    const held = await holders(noted);
    const unmade = new Set(clients.filter(({ made }) => !made).map(({ client }) => client));
    return noted.filter(({ client }, position) => held[position] !== true || unmade.delete(client));
  };

  return async (items: readonly Item[]): Promise<readonly Repair[]> => {
    const { changes, clients, faults } = seenIn(items);
    const doubtful = [...(await missed(changes)), ...(await left(clients))];
    const distinct = new Map(doubtful.map((each) => [JSON.stringify([each.client, each.organization]), each]));
    return [
      ...faults.map((fault) => () => Promise.reject(fault)),
      ...[...distinct.values()].map(
        ({ client, organization }) =>
          () =>
            settle({ client, organization }),
      ),
      ...clients
        .filter(({ holders: own }) => own.size === 0)
        .map(
          ({ client }) =>
            () =>
              sync.finish(client),
        ),
    ];
  };
};
