import { clientOf, propagationMilliseconds } from "../gateway-keys/client.ts";
import { maxGatewayKeys } from "../gateway-keys/sync.ts";
import type { Principal } from "../domain/access/principal.ts";
import { faultFields, logLine } from "../log.ts";
import type { Database } from "../dynamo/database.ts";
import { gatewayKeyStore } from "../store/access/clients/gateway-keys.ts";

const cacheMilliseconds = 60_000;
/** Pause between reads while the table does not answer. */
const outageMilliseconds = 5_000;
/** Timeout of one read of a gateway key. */
const readTimeout = 1_000;
const cacheSize = 5_000;

/**
 * Returns a function that gives the API Gateway key under which a caller is metered: the client's own key once it is 60 s old,
 * else the shared key, also when the key cannot be read or belongs to another usage plan, because the table comes from another
 * stack or Region. A client whose gateway key was just deleted may get 403 for up to 60 s.
 *
 * @param plan name of the clients' usage plan.
 */
export const meteringKeys = (database: Database, sharedKey: string, plan: string, now = Date.now) => {
  const keys = gatewayKeyStore(database, plan, maxGatewayKeys, now);
  const cache = new Map<string, { readonly value: string; readonly until: number }>();

  const readUsageKey = async (client: string): Promise<{ value: string; until: number }> => {
    const at = now();
    try {
      const key = await keys.find(client, AbortSignal.timeout(readTimeout));
      const usableAt = key === null ? Infinity : key.createdAt + propagationMilliseconds;
      if (key !== null && usableAt <= at) return { value: key.value, until: at + cacheMilliseconds };
      return { value: sharedKey, until: Math.min(usableAt, at + cacheMilliseconds) };
    } catch (error) {
      logLine("usage_key_unread", faultFields(error));
      return { value: sharedKey, until: at + outageMilliseconds };
    }
  };

  return async (principal: Principal): Promise<string> => {
    const client = clientOf(principal);
    const cachedUsageKey = cache.get(client);
    if (cachedUsageKey !== undefined && cachedUsageKey.until > now()) return cachedUsageKey.value;
    const usageKey = await readUsageKey(client);
    if (cache.size >= cacheSize) cache.clear();
    cache.set(client, usageKey);
    return usageKey.value;
  };
};
