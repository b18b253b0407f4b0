import { gatewayKeyQuota, canAddGatewayKey } from "../domain/access/gateway-key-quota.ts";
import type { ClientHolders, ClientHolding } from "../store/access/clients/client-holders.ts";
import { clientStateOf, type ClientState, type ClientStates } from "../store/access/clients/client-states.ts";
import type { Item } from "../dynamo/items.ts";
import { clientOfItem, type ClientChange } from "../stream/client-change.ts";
import { clientSettler } from "./settle.ts";
import type { GatewayKeySync } from "./sync.ts";

/** Dependencies of the reconciliation of gateway keys. */
export interface ReconciliationDependencies {
  readonly holders: ClientHolders;
  readonly states: ClientStates;
  readonly sync: GatewayKeySync;
  /** Gateway keys of the deployment, at most. */
  readonly maxKeys: number;
}

/** Idempotent repair of one inconsistency. */
type Repair = () => Promise<unknown>;

/** Parsed items of a page of the access table: API keys and memberships as client changes, stored client states, and parse errors. */
interface PageContent {
  readonly changes: readonly ClientChange[];
  readonly clients: readonly ClientState[];
  readonly errors: readonly unknown[];
}

const readPage = (items: readonly Item[]): PageContent => {
  const [changes, clients, errors]: [ClientChange[], ClientState[], unknown[]] = [[], [], []];
  for (const item of items) {
    try {
      const [change, client] = [clientOfItem(item), clientStateOf(item)];
      if (change !== null) changes.push(change);
      if (client !== null) clients.push(client);
    } catch (error) {
      errors.push(error);
    }
  }
  return { changes, clients, errors };
};

/**
 * Finds the clients of a page of the access table whose gateway key is inconsistent after a lost stream record: missing,
 * incomplete, or without a holder. The page may be outdated, so each repair reads the current state first.
 *
 * @returns a function from the items of a page to repairs. An unreadable item becomes a repair that rejects with its error.
 */
export const findGatewayKeyRepairs = ({ holders, states, sync, maxKeys }: ReconciliationDependencies) => {
  const settle = clientSettler(holders, sync.apply);
  const quota = gatewayKeyQuota(maxKeys);

  /** Returns the holdings of API keys and memberships that differ from the stored client states. */
  const findMissedChanges = async (changes: readonly ClientChange[]): Promise<readonly ClientHolding[]> => {
    const storedStates = await states.of(changes.map(({ client }) => client));
    const isNew = ({ client, isHeld }: ClientChange): boolean => isHeld && !storedStates.has(client);
    // Without quota for another key there is nothing to repair: the client stays on the shared key until a later reconciliation.
    const keyCounts = await states.countKeys(changes.filter(isNew).map(({ organization }) => organization));
    const canAddKey = ({ organization }: ClientChange): boolean => {
      const { total, ofOrganization } = keyCounts(organization);
      return canAddGatewayKey(quota, total, ofOrganization);
    };
    return changes.filter((change) => {
      const state = storedStates.get(change.client);
      if (state === undefined) return isNew(change) && canAddKey(change);
      return change.isHeld !== state.holders.has(change.organization) || (change.isHeld && !state.hasKey);
    });
  };

  /** Returns the stored holdings that no longer exist, and one holding of each client that waits for its key. */
  const findStaleHoldings = async (clients: readonly ClientState[]): Promise<readonly ClientHolding[]> => {
    const holdings = clients.flatMap(({ client, holders: organizations }) =>
      [...organizations].map((organization) => ({ client, organization })),
    );
    const heldFlags = await holders(holdings);
    const clientsWithoutKey = new Set(clients.filter(({ hasKey }) => !hasKey).map(({ client }) => client));
    return holdings.filter(({ client }, position) => heldFlags[position] !== true || clientsWithoutKey.delete(client));
  };

  return async (items: readonly Item[]): Promise<readonly Repair[]> => {
    const { changes, clients, errors } = readPage(items);
    const candidates = [...(await findMissedChanges(changes)), ...(await findStaleHoldings(clients))];
    const distinct = new Map(candidates.map((each) => [JSON.stringify([each.client, each.organization]), each]));
    return [
      ...errors.map((fault) => () => Promise.reject(fault)),
      ...[...distinct.values()].map(
        ({ client, organization }) =>
          () =>
            settle({ client, organization }),
      ),
      ...clients
        .filter(({ holders: organizations }) => organizations.size === 0)
        .map(
          ({ client }) =>
            () =>
              sync.deleteUnheld(client),
        ),
    ];
  };
};
