import type { InvitationExpiries } from "../store/access/invitation-expiry.ts";
import type { Item } from "../store/access/items.ts";

/**
 * Finds, in a page of the access table, invitations whose expiry is not what their status asks for: addresses of people who
 * have not accepted one do not stay.
 *
 * @returns how each is mended. What cannot be read fails when its turn comes, by itself.
 */
export const expiryLook =
  ({ isWrong, mend }: InvitationExpiries) =>
  async (items: readonly Item[]): Promise<readonly (() => Promise<unknown>)[]> =>
    items.flatMap((item) => {
      try {
        return isWrong(item) ? [() => mend(item)] : [];
      } catch (fault) {
        return [() => Promise.reject(fault)];
      }
    });
