import type { InvitationExpiryRepair } from "../store/access/invitation-expiry.ts";
import type { Item } from "../dynamo/items.ts";

/**
 * Finds invitations in a page of the access table whose expiry does not match their status, so that email addresses of
 * people who have not accepted are not kept.
 *
 * @returns one repair function per invitation. An item that cannot be parsed gets a repair that rejects, so that it fails
 * alone.
 */
export const expiryCheck =
  ({ isWrong, repair }: InvitationExpiryRepair) =>
  async (items: readonly Item[]): Promise<readonly (() => Promise<unknown>)[]> =>
    items.flatMap((item) => {
      try {
        return isWrong(item) ? [() => repair(item)] : [];
      } catch (fault) {
        return [() => Promise.reject(fault)];
      }
    });
