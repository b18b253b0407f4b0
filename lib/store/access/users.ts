import * as v from "valibot";
import { comparableEmail } from "../../domain/access/email.ts";
import { instantAt } from "../../domain/instant.ts";
import { faultFields, logLine } from "../../log.ts";
import { accessItems } from "./items.ts";
import { userKey } from "./keys.ts";
import { tryAgain, withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Item } from "../../dynamo/items.ts";
import { isUnlisted, listedUsers, listingChange } from "./email-listing.ts";
import { isConditionFailure } from "../../dynamo/failure.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { firstOrganization } from "./first-organization.ts";

/** A user with a verified token, and the claims of that token. */
export interface SignedInUser {
  readonly userId: string;
  readonly email: string | null;
  readonly displayName: string | null;
  /** False when the operator does not allow the user to create organizations; absent otherwise. */
  readonly canCreateOrganizations?: false;
}

/** A user, as stored. */
export interface User {
  readonly id: string;
  /** Empty when no token has contained an email address. */
  readonly email: string;
  readonly displayName: string;
  readonly createdAt: string;
  /** Epoch milliseconds, up to 5 minutes old; null for a member who never signed in. */
  readonly lastSignInAt: number | null;
}

/** Store of users, created by their first sign-in. */
export interface Users {
  /** Reads users by their ids; unknown ids are left out. */
  findMany(ids: readonly string[]): Promise<ReadonlyMap<string, User>>;
  /** Reads the ids of the users with an email address (lower case). */
  withEmail(email: string): Promise<readonly string[]>;
  /**
   * Records a sign-in. The first one creates the user, and an organization with a project unless the user is a member
   * of one or may not create organizations; concurrent first sign-ins create each once. Later ones record the time,
   * at most every 5 minutes, and a changed email address.
   */
  signIn(user: SignedInUser): Promise<void>;
}

const signInMilliseconds = 300_000;

/**
 * Timeout for recording the time of a sign-in, milliseconds: the record is optional and must not delay the response.
 */
const recordTimeoutMilliseconds = 1_000;

/**
 * Attributes of a user's item. `memberships` counts the user's organizations, `owned` those that the user owns,
 * `first_organizations` those that sign-ins created. `listed_email` is the address under which the user is listed.
 */
const userItem = v.object({
  email: v.optional(v.string(), ""),
  listed_email: v.optional(v.string()),
  display_name: v.optional(v.string(), ""),
  last_sign_in_at: v.optional(v.number()),
  memberships: v.optional(v.number(), 0),
  first_organizations: v.optional(v.number(), 0),
});

type StoredUser = v.InferOutput<typeof userItem>;

const knownUser = v.object({ ...userItem.entries, pk: v.string(), created_at: v.optional(v.string(), "") });

const userOf = (attributes: Record<string, unknown>): User => {
  const { pk, email, ...rest } = v.parse(knownUser, attributes);
  return {
    id: pk.slice(userKey("").pk.length),
    email,
    displayName: rest.display_name,
    createdAt: rest.created_at,
    lastSignInAt: rest.last_sign_in_at ?? null,
  };
};

export const userStore = (database: Database, now: () => number = Date.now): Users => {
  const { get, update, write } = accessItems(database);

  const findMany: Users["findMany"] = async (ids) => {
    const users = (await batchGet(database, "access", [...new Set(ids)].map(userKey))).map(userOf);
    return new Map(users.map((user) => [user.id, user]));
  };

  const find = async (userId: string): Promise<StoredUser> => v.parse(userItem, (await get(userKey(userId))) ?? {});

  /** Update parts and list entries that record a sign-in. */
  const signInUpdate = ({ userId, email, displayName }: SignedInUser, { listed_email: listedEmail }: StoredUser) => {
    const at = now();
    const instant = instantAt(at);
    const listing = listingChange(userId, email, listedEmail, at);
    const values: Item = {
      ":at": at,
      ":instant": instant,
      ...listing.values,
      ...(email !== null && { ":email": email }),
      ...(displayName !== null && { ":name": displayName }),
    };
    return {
      listed: listing.items,
      set: [
        "last_sign_in_at = :at",
        "created_at = if_not_exists(created_at, :instant)",
        ...(email === null ? [] : ["email = :email"]),
        ...listing.set,
        ...(displayName === null ? [] : ["display_name = if_not_exists(display_name, :name)"]),
      ].join(", "),
      values,
      instant,
    };
  };

  /** Creates the user with an organization. @returns false when the user was changed concurrently. */
  const createWithOrganization = async (user: SignedInUser, storedUser: StoredUser): Promise<boolean> => {
    const { userId } = user;
    const { first_organizations: organizationCount } = storedUser;
    const { set, values, instant, listed: listEntries } = signInUpdate(user, storedUser);
    const failedWrites = await write([
      {
        update: userKey(userId),
        change: `SET ${set}, memberships = :one, first_organizations = :next ADD owned :one`,
        when:
          "(attribute_not_exists(memberships) OR memberships = :zero) AND " +
          "(attribute_not_exists(first_organizations) OR first_organizations = :made)",
        values: { ...values, ":zero": 0, ":one": 1, ":made": organizationCount, ":next": organizationCount + 1 },
      },
      ...firstOrganization(userId, instant),
      ...listEntries.map((put) => ({ put })),
    ]);
    return failedWrites.size === 0;
  };

  /** Creates the user without an organization. @returns false when the user was changed concurrently. */
  const createWithoutOrganization = async (user: SignedInUser, storedUser: StoredUser): Promise<boolean> => {
    const { set, values, listed: listEntries } = signInUpdate(user, storedUser);
    const when = "attribute_not_exists(last_sign_in_at)";
    const failedWrites = await write([
      { update: userKey(user.userId), change: `SET ${set}`, when, values },
      ...listEntries.map((put) => ({ put })),
    ]);
    return failedWrites.size === 0;
  };

  const hasChanges = ({ email, displayName }: SignedInUser, storedUser: StoredUser): boolean =>
    now() - (storedUser.last_sign_in_at ?? -Infinity) >= signInMilliseconds ||
    (email !== null && email !== storedUser.email) ||
    isUnlisted(email, storedUser.listed_email) ||
    (displayName !== null && storedUser.display_name === "");

  /**
   * Records a sign-in of a known user. Of several concurrent sign-ins one is recorded; the sign-in succeeds even if
   * recording fails.
   */
  const recordSignIn = async (user: SignedInUser, storedUser: StoredUser): Promise<void> => {
    const { last_sign_in_at: lastSignInAt } = storedUser;
    const { set, values: signInValues, listed: listEntries } = signInUpdate(user, storedUser);
    const [key, change] = [userKey(user.userId), `SET ${set}`];
    const when = `attribute_exists(pk) AND ${
      lastSignInAt === undefined ? "attribute_not_exists(last_sign_in_at)" : "last_sign_in_at = :seen"
    }`;
    const values = { ...signInValues, ":seen": lastSignInAt };
    try {
      if (listEntries.length > 0) {
        await write([{ update: key, change, when, values }, ...listEntries.map((put) => ({ put }))]);
        return;
      }
      await update(key, change, { when, values, signal: AbortSignal.timeout(recordTimeoutMilliseconds) });
    } catch (error) {
      if (!isConditionFailure(error)) logLine("sign_in_not_noted", faultFields(error));
    }
  };

  return {
    findMany,

    withEmail: async (email) => {
      const users = await findMany(await listedUsers(database, email));
      return [...users.values()].filter((user) => comparableEmail(user.email) === email).map(({ id }) => id);
    },

    signIn: async (user) => {
      await withRetries(requestRetryPolicy, throwUnavailable("The user is being created. Try again."), async () => {
        const storedUser = await find(user.userId);
        const mayNotOrganize = user.canCreateOrganizations === false;
        if (mayNotOrganize && storedUser.last_sign_in_at === undefined)
          return (await createWithoutOrganization(user, storedUser)) || tryAgain;
        const isNew = storedUser.memberships === 0 && !mayNotOrganize;
        if (!isNew && !hasChanges(user, storedUser)) return true;
        if (isNew) return (await createWithOrganization(user, storedUser)) || tryAgain;
        await recordSignIn(user, storedUser);
        return true;
      });
    },
  };
};
