import * as v from "valibot";
import type { Membership } from "../../domain/access/membership.ts";
import { roles } from "../../domain/access/role.ts";
import { again, attempts, unavailable } from "../attempts.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { eraseItems } from "../erase-items.ts";
import * as patience from "../patience.ts";
import { auditWrite } from "./audit-writes.ts";
import { accessItems, isAlive, type AccessWrite, type Item } from "./items.ts";
import { organizationKey, prefixes, userEmailKey, userKey, userPartition } from "./keys.ts";
import { keyWithdrawal } from "./key-withdrawal.ts";
import { ending, leaving, ownersChange } from "./membership-writes.ts";

/** A membership, and whether its organization was not deleted. */
interface Belonging {
  readonly membership: Membership;
  readonly isOpen: boolean;
}

/** Entries of the user's list of deletions that go before the time is looked at. */
const entriesAtATime = 100;

const stored = v.object({ sk: v.string(), role: v.picklist(roles), created_at: v.string() });

const userItem = v.object({ listed_email: v.optional(v.string()) });

/**
 * Removes a user: they leave every organization, one after the other, and with the last one goes their own item. Between the
 * two there is no instant: a sign-in at the same time would find a user without an organization, and make them one.
 *
 * @param until epoch milliseconds after which no other organization is left; one always is.
 * @returns `removed` also when nobody was there; `owner` when the user owns an organization, and `unfinished` when there was
 *   no time for all: who asks again goes on with the rest.
 */
export const departures = (database: Database, now: () => number = Date.now) => {
  const { get, list, write } = accessItems(database);
  const withdraw = keyWithdrawal(database, now);

  const belongings = async (userId: string): Promise<readonly Belonging[]> => {
    const items = (await list(userPartition(userId), prefixes.members)).map((item) => v.parse(stored, item));
    const memberships = items.map(({ sk, role, created_at: createdAt }) => ({
      organizationId: sk.slice(prefixes.members.length),
      userId,
      role,
      createdAt,
    }));
    const found = await batchGet(
      database,
      "access",
      memberships.map(({ organizationId }) => organizationKey(organizationId)),
    );
    const open = new Set(found.filter(isAlive).map(({ pk }) => pk));
    return memberships.map((membership) => ({
      membership,
      isOpen: open.has(organizationKey(membership.organizationId).pk),
    }));
  };

  /** What an organization that is there notes of it; one that is being deleted keeps no more notes. */
  const noting = ({ membership: { organizationId, userId, role }, isOpen }: Belonging): readonly AccessWrite[] =>
    isOpen
      ? [
          ownersChange(organizationId, 0),
          auditWrite(
            {
              organizationId,
              by: { kind: "user", userId },
              action: "member.left",
              target: userId,
              details: { role },
            },
            now(),
          ),
        ]
      : [];

  /** @returns false when the user has changed meanwhile. */
  const end = async (userId: string, user: Item, last: Belonging | undefined): Promise<boolean> => {
    const { listed_email: listed } = v.parse(userItem, user);
    const failed = await write([
      ...(last === undefined ? [] : [...ending(last.membership), ...noting(last)]),
      {
        remove: userKey(userId),
        when:
          (last === undefined
            ? "(attribute_not_exists(memberships) OR memberships = :left)"
            : "attribute_exists(pk) AND memberships = :left") +
          (listed === undefined ? " AND attribute_not_exists(listed_email)" : " AND listed_email = :listed"),
        values: { ":left": last === undefined ? 0 : 1, ...(listed !== undefined && { ":listed": listed }) },
      },
      ...(listed === undefined ? [] : [{ remove: userEmailKey(listed, userId) }]),
    ]);
    return failed.size === 0;
  };

  return (userId: string, until: number): Promise<"removed" | "owner" | "unfinished"> =>
    attempts(patience.request, unavailable("The user is being changed. Try again."), async () => {
      const user = await get(userKey(userId));
      const all = await belongings(userId);
      if (all.some(({ membership: { role }, isOpen }) => role === "OWNER" && isOpen)) return "owner";
      // A user who has come since is read again.
      if (user === undefined && all.length > 0) return again;
      const [last, ...others] = all;
      for (const [at, other] of others.entries()) {
        if (at > 0 && now() >= until) return "unfinished";
        if ((await write([...leaving(other.membership), ...noting(other)])).size > 0) return again;
        await withdraw(other.membership.organizationId, userId, "keep", userId);
      }
      const entries = await list(userPartition(userId), prefixes.deletions);
      for (let start = 0; start < entries.length; start += entriesAtATime) {
        await eraseItems(database, "access", entries.slice(start, start + entriesAtATime));
        if (now() >= until) return "unfinished";
      }
      if (others.length > 0 && now() >= until) return "unfinished";
      if (user === undefined) return "removed";
      if (!(await end(userId, user, last))) return again;
      if (last !== undefined) await withdraw(last.membership.organizationId, userId, "keep", userId);
      return "removed";
    });
};
