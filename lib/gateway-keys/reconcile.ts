import { gatewayKeyQuota, canAddGatewayKey } from "../domain/access/gateway-key-quota.ts";
import type { ClientHolders, ClientHolding } from "../store/access/clients/client-holders.ts";
import { clientStateOf, type ClientState, type ClientStates } from "../store/access/clients/client-states.ts";
import type { Item } from "../dynamo/items.ts";
import { clientOfItem, type ClientChange } from "../stream/client-change.ts";
import { clientSettler } from "./settle.ts";
import { propagationMilliseconds } from "./client.ts";
import type { GatewayKeySync } from "./sync.ts";

/** Dependencies of the reconciliation of gateway keys. */
export interface ReconciliationDependencies {
  readonly holders: ClientHolders;
  readonly states: ClientStates;
  readonly sync: GatewayKeySync;
  /** Name of the clients' usage plan. */
  readonly plan: string;
  /** Gateway keys of the deployment, at most. */
  readonly maxKeys: number;
  /** Returns the current time, epoch milliseconds. */
  readonly now: () => number;
}

/** Keys of the usage plan at a time in epoch milliseconds: younger keys may be missing. */
interface PlanListing {
  readonly keys: ReadonlySet<string>;
  readonly readAt: number;
}

/** Idempotent repair of one inconsistency. */
type Repair = () => Promise<unknown>;

/** Parsed items of a page of the access table: API keys and memberships as client changes, stored client states, and parse errors. */
interface PageContent {
  readonly changes: readonly ClientChange[];
  readonly clients: readonly ClientState[];
  readonly errors: unknown[];
}

const readPage = (items: readonly Item[], plan: string): PageContent => {
  const [changes, clients, errors]: [ClientChange[], ClientState[], unknown[]] = [[], [], []];
  for (const item of items) {
    try {
      const [change, client] = [clientOfItem(item), clientStateOf(item, plan)];
      if (change !== null) changes.push(change);
      if (client !== null) clients.push(client);
    } catch (error) {
      errors.push(error);
    }
  }
  return { changes, clients, errors };
};

/**
 * Finds the clients of a page of the access table whose gateway key is inconsistent: missing, incomplete, or without a holder
 * after a lost stream record; in another usage plan or deleted in API Gateway, when the table outlived the keys. The page may be
 * outdated, so each repair reads the current state first.
 *
 * @returns a function for one pass, from the items of a page to repairs. An unreadable item, and a list of the plan's keys that
 *   cannot be read, become repairs that reject with their errors.
 */
export const findGatewayKeyRepairs = ({ holders, states, sync, plan, maxKeys, now }: ReconciliationDependencies) => {
  const settle = clientSettler(holders, sync.apply);
  const quota = gatewayKeyQuota(maxKeys);
  /** Undefined before the first page with a key, null when it cannot be read. */
  let planListing: PlanListing | null | undefined;

  /** Lists the keys of the usage plan, once for all pages. @throws the error of the only attempt, once. */
  const listPlan = async (): Promise<PlanListing | null> => {
    if (planListing !== undefined) return planListing;
    planListing = null;
    const readAt = now();
    planListing = { keys: await sync.planKeys(), readAt };
    return planListing;
  };

  /**
   * Compares a client's key with the keys of the usage plan. A deleted key is taken out of use at once, not as one of the few
   * repairs of a pass: until then API Gateway refuses the client's requests.
   *
   * @returns the state, without a key that is not in the plan.
   */
  const compareWithPlan = async (state: ClientState): Promise<ClientState> => {
    const { client, key } = state;
    const listing = key === null ? null : await listPlan();
    if (key === null || listing === null) return state;
    if (listing.keys.has(key.id)) {
      if (!key.isPlanNamed) await sync.namePlan(client, key.id);
      return state;
    }
    if (key.createdAt + propagationMilliseconds >= listing.readAt) return state;
    await sync.discard(client, key.id);
    return { ...state, key: null };
  };

  /** Compares the keys of a page with the usage plan, one after the other. A failed comparison leaves its state as it is. */
  const compareAll = async ({ clients, errors }: PageContent): Promise<readonly ClientState[]> => {
    const compared: ClientState[] = [];
    for (const state of clients) {
      try {
        compared.push(await compareWithPlan(state));
      } catch (error) {
        errors.push(error);
        compared.push(state);
      }
    }
    return compared;
  };

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
      return change.isHeld !== state.holders.has(change.organization) || (change.isHeld && state.key === null);
    });
  };

  /** Returns the stored holdings that no longer exist, and one holding of each client without a key. */
  const findStaleHoldings = async (clients: readonly ClientState[]): Promise<readonly ClientHolding[]> => {
    const holdings = clients.flatMap(({ client, holders: organizations }) =>
      [...organizations].map((organization) => ({ client, organization })),
    );
    const heldFlags = await holders(holdings);
    const clientsWithoutKey = new Set(clients.filter(({ key }) => key === null).map(({ client }) => client));
    return holdings.filter(({ client }, position) => heldFlags[position] !== true || clientsWithoutKey.delete(client));
  };

  return async (items: readonly Item[]): Promise<readonly Repair[]> => {
    const page = readPage(items, plan);
    const clients = await compareAll(page);
    const candidates = [...(await findMissedChanges(page.changes)), ...(await findStaleHoldings(clients))];
    const distinct = new Map(candidates.map((each) => [JSON.stringify([each.client, each.organization]), each]));
    return [
      ...page.errors.map((fault) => () => Promise.reject(fault)),
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
