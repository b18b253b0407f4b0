import { logLine } from "../log.ts";
import type { GatewayKeys } from "../store/access/clients/gateway-keys.ts";
import type { ClientChange } from "../stream/client-change.ts";
import { gatewayKeyName, gatewayKeyValue } from "./client.ts";
import type { ControlPlane } from "./control-plane.ts";

/**
 * Keys of an account and Region are 10,000; the rest is room for others. Clients beyond it stay on the shared key.
 */
export const mostGatewayKeys = 9_000;

/** Keeps gateway keys in line with who has which client. */
export interface GatewayKeySync {
  /**
   * Follows one change. Repeated or broken off at any point and repeated, it ends the same; a client that one organization
   * drops while another takes it has a key in the end.
   */
  readonly apply: (change: ClientChange) => Promise<void>;
  /** Ends the key of a client that nobody has, where its end was broken off. */
  readonly finish: (client: string) => Promise<void>;
}

export const gatewayKeySync = (keys: GatewayKeys, control: ControlPlane, stage: string): GatewayKeySync => {
  const make = async (client: string): Promise<void> => {
    const value = gatewayKeyValue(stage, client);
    const id = await control.createKey(gatewayKeyName(stage, client), value);
    await control.addToPlan(id);
    if (!(await keys.made(client, id, value))) await unmake(client, id);
  };

  const unmake = async (client: string, id: string | null): Promise<void> => {
    if (id !== null) await control.deleteKey(id);
    if (!(await keys.forget(client))) await make(client);
  };

  const hold = async ({ client, organization }: ClientChange): Promise<void> => {
    const state = await keys.hold(client, organization);
    if (state.kind === "full") logLine("gateway_keys_full", { client });
    if (state.kind !== "wanted") return;
    // Whoever withdrew it is about to delete it, by this id: the client needs a key with another one.
    if (state.withdrawn !== null) await control.deleteKey(state.withdrawn);
    await make(client);
  };

  const finish = async (client: string): Promise<void> => {
    // Out of use first: an authorizer must not name a key that is gone.
    const id = await keys.withdraw(client);
    if (id === false) return;
    await unmake(client, id ?? (await control.findKey(gatewayKeyName(stage, client))));
  };

  const release = async ({ client, organization }: ClientChange): Promise<void> => {
    if (!(await keys.release(client, organization))) await finish(client);
  };

  return { apply: (change) => (change.held ? hold(change) : release(change)), finish };
};
