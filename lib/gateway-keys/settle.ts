import { again, attempts, contended } from "../store/attempts.ts";
import type { ClientHolders, Holding } from "../store/access/clients/client-holders.ts";
import * as patience from "../store/patience.ts";
import type { ClientChange } from "../stream/client-change.ts";

/**
 * Brings a client in line with whether an organization has it, whatever records of it have come or were lost. What the
 * organization does meanwhile is seen afterwards, and never undone.
 *
 * @throws Contention when the organization took the client and let it go all the time.
 */
export const settling =
  (holders: ClientHolders, sync: (change: ClientChange) => Promise<void>) =>
  (holding: Holding): Promise<true> => {
    const isHeld = async (): Promise<boolean> => (await holders([holding]))[0] === true;
    const moved = contended("A client came and went all the time.");
    return attempts<true>(patience.outside, moved, async () => {
      const held = await isHeld();
      await sync({ ...holding, held });
      return (await isHeld()) === held || again;
    });
  };
