import { sideBySide } from "../../async/side-by-side.ts";
import type { Database } from "../database.ts";
import { type ApiKey, apiKeyStore } from "./api-keys.ts";

/** Keys revoked side by side. */
const width = 10;

/** What became of the keys that somebody had made and that worked. */
interface WithdrawnKeys {
  readonly revoked: readonly ApiKey[];
  readonly left: readonly ApiKey[];
}

/**
 * Ends the keys of a member's sign-ins after the member was removed, and the others that the member made where that is asked for. What
 * it does not get to is found by the reconciliation.
 *
 * @returns a function; `by`: who removed the member.
 */
export const keyWithdrawal = (database: Database, now: () => number = Date.now) => {
  const keys = apiKeyStore(database, now);
  return async (
    organizationId: string,
    userId: string,
    others: "keep" | "revoke",
    by: string,
  ): Promise<WithdrawnKeys> => {
    const made = await keys.madeBy(organizationId, userId);
    const revoked = made.filter(({ signIn }) => signIn || others === "revoke");
    await sideBySide(revoked, width, ({ id }) => keys.revoke(organizationId, id, { kind: "user", userId: by }));
    return { revoked, left: made.filter((key) => !revoked.includes(key)) };
  };
};
