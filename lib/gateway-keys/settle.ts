import { tryAgain, withRetries, throwContention } from "../dynamo/with-retries.ts";
import type { ClientHolders, ClientHolding } from "../store/access/clients/client-holders.ts";
import { externalWorkRetryPolicy } from "../dynamo/retry-policies.ts";
import type { ClientChange } from "../stream/client-change.ts";

/**
 * Synchronizes the gateway key of a client with whether an organization holds the client, independent of stream records. A
 * change in the meantime is noticed and synchronized again.
 *
 * @throws Contention if the holding keeps changing.
 */
export const clientSettler =
  (holders: ClientHolders, sync: (change: ClientChange) => Promise<void>) =>
  (holding: ClientHolding): Promise<true> => {
    const checkHolding = async (): Promise<boolean> => (await holders([holding]))[0] === true;
    const contention = throwContention("A client came and went all the time.");
    return withRetries<true>(externalWorkRetryPolicy, contention, async () => {
      const wasHeld = await checkHolding();
      await sync({ ...holding, isHeld: wasHeld });
      return (await checkHolding()) === wasHeld || tryAgain;
    });
  };
