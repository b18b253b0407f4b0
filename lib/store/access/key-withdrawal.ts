import { mapConcurrently } from "../../async/concurrency.ts";
import type { Database } from "../../dynamo/database.ts";
import { type ApiKey, apiKeyStore } from "./api-keys.ts";

/** Keys that are revoked in parallel. */
const width = 10;

/** A removed member's active keys: the revoked and the remaining ones. */
interface WithdrawnKeys {
  readonly revoked: readonly ApiKey[];
  readonly remaining: readonly ApiKey[];
}

/**
 * Returns a function that revokes a removed member's keys: those of CLI sign-ins always, the others if `otherKeys` is
 * `revoke`. The periodic reconciliation revokes keys that are not revoked because of a crash. `removedBy` is the id of
 * the user who removed the member.
 */
export const keyWithdrawal = (database: Database, now: () => number = Date.now) => {
  const keys = apiKeyStore(database, now);
  return async (
    organizationId: string,
    userId: string,
    otherKeys: "keep" | "revoke",
    removedBy: string,
  ): Promise<WithdrawnKeys> => {
    const activeKeys = await keys.activeKeysOf(organizationId, userId);
    const revoked = activeKeys.filter(({ signIn }) => signIn || otherKeys === "revoke");
    await mapConcurrently(revoked, width, ({ id }) =>
      keys.revoke(organizationId, id, { kind: "user", userId: removedBy }),
    );
    return { revoked, remaining: activeKeys.filter((key) => !revoked.includes(key)) };
  };
};
