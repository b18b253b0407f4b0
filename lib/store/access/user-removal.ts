import * as v from "valibot";
import type { Membership } from "../../domain/access/membership.ts";
import { roles } from "../../domain/access/role.ts";
import { tryAgain, withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { eraseItems } from "../../dynamo/erase-items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { auditWrite } from "./audit-writes.ts";
import type { Write, Item } from "../../dynamo/items.ts";
import { accessItems, isAlive } from "./items.ts";
import { organizationKey, prefixes, userEmailKey, userKey, userPartition } from "./keys.ts";
import { keyWithdrawal } from "./key-withdrawal.ts";
import { endWrites, leaveWrites, ownerCountWrite } from "./membership-writes.ts";

/** A membership; `isOpen` is true if its organization exists and is not being deleted. */
interface MembershipState {
  readonly membership: Membership;
  readonly isOpen: boolean;
}

/** Entries of the user's deletion list that are erased between two checks of the deadline. */
const entriesPerBatch = 100;

const membershipItem = v.object({ sk: v.string(), role: v.picklist(roles), created_at: v.string() });

const userItem = v.object({ listed_email: v.optional(v.string()) });

/**
 * Removes a user: ends their memberships one after the other, and deletes the user's item in the same transaction as
 * the last one. In between, a concurrent sign-in would find a user without an organization and create one.
 *
 * @param until deadline, epoch milliseconds, after which no further membership is ended; the first one always is.
 * @returns `removed`, also when the user did not exist; `owner` when the user owns an organization; `unfinished` when
 *   time ran out: a repeated call continues.
 */
export const userRemoval = (database: Database, now: () => number = Date.now) => {
  const { get, list, write } = accessItems(database);
  const withdraw = keyWithdrawal(database, now);

  const membershipStates = async (userId: string): Promise<readonly MembershipState[]> => {
    const items = (await list({ pk: userPartition(userId), prefix: prefixes.members })).map((item) =>
      v.parse(membershipItem, item),
    );
    const memberships = items.map(({ sk, role, created_at: createdAt }) => ({
      organizationId: sk.slice(prefixes.members.length),
      userId,
      role,
      createdAt,
    }));
    const organizations = await batchGet(
      database,
      "access",
      memberships.map(({ organizationId }) => organizationKey(organizationId)),
    );
    const openOrganizations = new Set(organizations.filter(isAlive).map(({ pk }) => pk));
    return memberships.map((membership) => ({
      membership,
      isOpen: openOrganizations.has(organizationKey(membership.organizationId).pk),
    }));
  };

  /** Writes that an organization needs when a member leaves; none for an organization that is being deleted. */
  const organizationWrites = ({
    membership: { organizationId, userId, role },
    isOpen,
  }: MembershipState): readonly Write[] =>
    isOpen
      ? [
          ownerCountWrite(organizationId, 0),
          auditWrite(
            {
              organizationId,
              actor: { kind: "user", userId },
              action: "member.left",
              target: userId,
              details: { role },
            },
            now(),
          ),
        ]
      : [];

  /** Deletes the user's item together with the last membership. @returns false when the user has changed meanwhile. */
  const removeItem = async (userId: string, user: Item, last: MembershipState | undefined): Promise<boolean> => {
    const { listed_email: listedEmail } = v.parse(userItem, user);
    const failedWrites = await write([
      ...(last === undefined ? [] : [...endWrites(last.membership), ...organizationWrites(last)]),
      {
        remove: userKey(userId),
        when:
          (last === undefined
            ? "(attribute_not_exists(memberships) OR memberships = :left)"
            : "attribute_exists(pk) AND memberships = :left") +
          (listedEmail === undefined ? " AND attribute_not_exists(listed_email)" : " AND listed_email = :listed"),
        values: { ":left": last === undefined ? 0 : 1, ...(listedEmail !== undefined && { ":listed": listedEmail }) },
      },
      ...(listedEmail === undefined ? [] : [{ remove: userEmailKey(listedEmail, userId) }]),
    ]);
    return failedWrites.size === 0;
  };

  return (userId: string, until: number): Promise<"removed" | "owner" | "unfinished"> =>
    withRetries(requestRetryPolicy, throwUnavailable("The user is being changed. Try again."), async () => {
      const user = await get(userKey(userId));
      const states = await membershipStates(userId);
      if (states.some(({ membership: { role }, isOpen }) => role === "OWNER" && isOpen)) return "owner";
      // The user signed in after the first read: read again.
      if (user === undefined && states.length > 0) return tryAgain;
      const [last, ...earlier] = states;
      for (const [at, state] of earlier.entries()) {
        if (at > 0 && now() >= until) return "unfinished";
        if ((await write([...leaveWrites(state.membership), ...organizationWrites(state)])).size > 0) return tryAgain;
        await withdraw(state.membership.organizationId, userId, "keep", userId);
      }
      const entries = await list({ pk: userPartition(userId), prefix: prefixes.deletions });
      for (let start = 0; start < entries.length; start += entriesPerBatch) {
        await eraseItems(database, "access", entries.slice(start, start + entriesPerBatch));
        if (now() >= until) return "unfinished";
      }
      if (earlier.length > 0 && now() >= until) return "unfinished";
      if (user === undefined) return "removed";
      if (!(await removeItem(userId, user, last))) return tryAgain;
      if (last !== undefined) await withdraw(last.membership.organizationId, userId, "keep", userId);
      return "removed";
    });
};
