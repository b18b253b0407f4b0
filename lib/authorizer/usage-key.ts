import { clientOf } from "../gateway-keys/client.ts";
import { mostGatewayKeys } from "../gateway-keys/sync.ts";
import type { Principal } from "../domain/access/principal.ts";
import { faultFields, logLine } from "../log.ts";
import type { Database } from "../store/database.ts";
import { gatewayKeyStore } from "../store/access/clients/gateway-keys.ts";

/** A new key is unknown to parts of the gateway for some seconds, and an unknown key is a 403. */
const spreadMilliseconds = 60_000;
const cacheMilliseconds = 60_000;
/** While the table does not answer, this is how often it is asked; no request waits for it longer than that. */
const outageMilliseconds = 5_000;
const patienceMilliseconds = 1_000;
const cacheSize = 5_000;

/**
 * Tells which gateway key meters a caller: the client's own once it has spread, else the shared one. It never refuses: when
 * the key cannot be read, the shared one serves. A client whose key was just deleted may meet a 403 for as long as its key
 * is remembered here.
 */
export const usageKeys = (database: Database, sharedKey: string, now = Date.now) => {
  const keys = gatewayKeyStore(database, mostGatewayKeys, now);
  const cache = new Map<string, { readonly value: string; readonly until: number }>();

  const look = async (client: string): Promise<{ value: string; until: number }> => {
    const at = now();
    try {
      const key = await keys.find(client, AbortSignal.timeout(patienceMilliseconds));
      const spreadAt = key === null ? Infinity : key.createdAt + spreadMilliseconds;
      if (key !== null && spreadAt <= at) return { value: key.value, until: at + cacheMilliseconds };
      return { value: sharedKey, until: Math.min(spreadAt, at + cacheMilliseconds) };
    } catch (error) {
      logLine("usage_key_unread", faultFields(error));
      return { value: sharedKey, until: at + outageMilliseconds };
    }
  };

  return async (principal: Principal): Promise<string> => {
    const client = clientOf(principal);
    const known = cache.get(client);
    if (known !== undefined && known.until > now()) return known.value;
    const found = await look(client);
    if (cache.size >= cacheSize) cache.clear();
    cache.set(client, found);
    return found.value;
  };
};
