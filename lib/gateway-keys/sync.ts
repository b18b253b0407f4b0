import { LimitExceededException } from "@aws-sdk/client-api-gateway";
import { logLine } from "../log.ts";
import type { GatewayKeys } from "../store/access/clients/gateway-keys.ts";
import type { ClientChange } from "../stream/client-change.ts";
import { gatewayKeyName, gatewayKeyValue } from "./client.ts";
import type { ControlPlane } from "./control-plane.ts";

/**
 * Gateway keys of a deployment, at most. API Gateway's quota is 10,000 keys per account and Region; the rest is for other
 * stacks. Clients beyond the limit use the shared key, as do those of a stage whose account is filled by other stages.
 */
export const maxGatewayKeys = 9_000;

/** Synchronizes gateway keys with the clients that organizations hold. */
export interface GatewayKeySync {
  /**
   * Applies one change. Idempotent, also after an interruption at any point. A client that one organization drops while another
   * takes it ends up with a key.
   */
  readonly apply: (change: ClientChange) => Promise<void>;
  /** Completes an interrupted deletion of the key of a client without holders. */
  readonly deleteUnheld: (client: string) => Promise<void>;
  /** Lists the ids of the keys in the usage plan. */
  readonly planKeys: () => Promise<ReadonlySet<string>>;
  /** Takes a key that is not in the usage plan any more out of use, so that `apply` creates it again. */
  readonly discard: (client: string, keyId: string) => Promise<void>;
  /** Stores the usage plan of a key in use whose item names none. */
  readonly namePlan: (client: string, keyId: string) => Promise<void>;
}

const unlessFull = async (key: Promise<string>): Promise<string | null> => {
  try {
    return await key;
  } catch (error) {
    if (error instanceof LimitExceededException) return null;
    throw error;
  }
};

export const gatewayKeySync = (keys: GatewayKeys, control: ControlPlane, stage: string): GatewayKeySync => {
  /** Creates the key of a client, which stays on the shared key if the account is full: the hourly reconciliation tries again. */
  const createKey = async (client: string): Promise<void> => {
    const value = gatewayKeyValue(stage, client);
    const id = await unlessFull(control.createKey(gatewayKeyName(stage, client), value));
    if (id === null) return logLine("gateway_keys_full", { client });
    await control.addToPlan(id);
    if (!(await keys.activate(client, id, value))) await deleteKey(client, id);
  };

  const deleteKey = async (client: string, id: string | null): Promise<void> => {
    if (id !== null) await control.deleteKey(id, gatewayKeyName(stage, client));
    if (!(await keys.forget(client))) await createKey(client);
  };

  const hold = async ({ client, organization }: ClientChange): Promise<void> => {
    const state = await keys.hold(client, organization);
    if (state.kind === "full") logLine("gateway_keys_full", { client });
    if (state.kind !== "wanted") return;
    // The worker that withdrew the key is about to delete it by this id, so the client needs a new key.
    if (state.withdrawn !== null) await control.deleteKey(state.withdrawn, gatewayKeyName(stage, client));
    await createKey(client);
  };

  const deleteUnheld = async (client: string): Promise<void> => {
    // Withdrawn before it is deleted: the authorizer must not return a deleted key.
    const id = await keys.withdraw(client);
    if (id === false) return;
    await deleteKey(client, id ?? (await control.findKey(gatewayKeyName(stage, client))));
  };

  const release = async ({ client, organization }: ClientChange): Promise<void> => {
    if (!(await keys.release(client, organization))) await deleteUnheld(client);
  };

  return {
    apply: (change) => (change.isHeld ? hold(change) : release(change)),
    deleteUnheld,
    planKeys: () => control.planKeys(),
    discard: (client, keyId) => keys.discard(client, keyId),
    namePlan: (client, keyId) => keys.namePlan(client, keyId),
  };
};
