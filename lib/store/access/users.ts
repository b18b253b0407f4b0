import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { comparableEmail } from "../../domain/access/email.ts";
import { instantAt } from "../../domain/instant.ts";
import { faultFields, logLine } from "../../log.ts";
import { accessItems } from "./items.ts";
import { userKey } from "./keys.ts";
import { again, attempts, unavailable } from "../attempts.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { isUnlisted, listedUsers, listingChange } from "./email-listing.ts";
import { isConditionFailure } from "../failure.ts";
import * as patience from "../patience.ts";
import { firstOrganization } from "./first-organization.ts";

/** A user whose token was verified, and what the token says of them. */
export interface SignedIn {
  readonly userId: string;
  readonly email: string | null;
  readonly displayName: string | null;
  /** False for whom the operator lets make no organizations; everybody else may. */
  readonly mayOrganize?: false;
}

/** A user as the service knows them. */
export interface User {
  readonly id: string;
  /** Empty when no token has told it. */
  readonly email: string;
  readonly displayName: string;
  readonly createdAt: string;
  /** Epoch milliseconds, up to 5 minutes old; null for a member who never signed in. */
  readonly lastSignInAt: number | null;
}

export interface Users {
  /** Those of some users who are known, by id. */
  named(ids: readonly string[]): Promise<ReadonlyMap<string, User>>;
  /** The users whose address it is (in lower case). */
  withEmail(email: string): Promise<readonly string[]>;
  /**
   * Notes that a user is here. At the first sign-in this makes the user, and an organization that the user owns when
   * there is none, with a project: each once, however many first sign-ins there are at a time. Later it writes the time, at most every 5
   * minutes, and the address when it changed. Who may make no organization is known without one.
   */
  signIn(user: SignedIn): Promise<void>;
}

const signInMilliseconds = 300_000;

/** Noting the time of a sign-in is a courtesy: it may not hold up the answer for longer. */
const noteMilliseconds = 1_000;

/**
 * `memberships` counts the user's organizations, `owned` those of them that the user owns, `first_organizations` those that
 * were made by signing in. `listed_email` is the address that the user is found by.
 */
const item = v.object({
  email: v.optional(v.string(), ""),
  listed_email: v.optional(v.string()),
  display_name: v.optional(v.string(), ""),
  last_sign_in_at: v.optional(v.number()),
  memberships: v.optional(v.number(), 0),
  first_organizations: v.optional(v.number(), 0),
});

type Stored = v.InferOutput<typeof item>;

const known = v.object({ ...item.entries, pk: v.string(), created_at: v.optional(v.string(), "") });

const userOf = (given: Record<string, unknown>): User => {
  const { pk, email, ...rest } = v.parse(known, given);
  return {
    id: pk.slice(userKey("").pk.length),
    email,
    displayName: rest.display_name,
    createdAt: rest.created_at,
    lastSignInAt: rest.last_sign_in_at ?? null,
  };
};

export const userStore = (database: Database, now: () => number = Date.now): Users => {
  const { client, table } = database;
  const { write } = accessItems(database);

  const named: Users["named"] = async (ids) => {
    const found = (await batchGet(database, "access", [...new Set(ids)].map(userKey))).map(userOf);
    return new Map(found.map((user) => [user.id, user]));
  };

  const find = async (userId: string): Promise<Stored> => {
    const { Item = {} } = await client.send(
      new GetCommand({ TableName: table("access"), Key: userKey(userId), ConsistentRead: true }),
    );
    return v.parse(item, Item);
  };

  /** What a sign-in says of a user, as parts of an update. */
  const signInOf = ({ userId, email, displayName }: SignedIn, { listed_email: listed }: Stored) => {
    const at = now();
    const listing = listingChange(userId, email, listed, at);
    return {
      listed: listing.items,
      set: [
        "last_sign_in_at = :at",
        "created_at = if_not_exists(created_at, :instant)",
        ...(email === null ? [] : ["email = :email"]),
        ...listing.set,
        ...(displayName === null ? [] : ["display_name = if_not_exists(display_name, :name)"]),
      ].join(", "),
      values: {
        ":at": at,
        ":instant": instantAt(at),
        ...listing.values,
        ...(email !== null && { ":email": email }),
        ...(displayName !== null && { ":name": displayName }),
      },
    };
  };

  /** @returns false when somebody else changed the user meanwhile. */
  const makeFirstOrganization = async (user: SignedIn, stored: Stored): Promise<boolean> => {
    const { userId } = user;
    const { first_organizations: made } = stored;
    const { set, values, listed } = signInOf(user, stored);
    const failed = await write([
      {
        update: userKey(userId),
        change: `SET ${set}, memberships = :one, first_organizations = :next ADD owned :one`,
        when:
          "(attribute_not_exists(memberships) OR memberships = :zero) AND " +
          "(attribute_not_exists(first_organizations) OR first_organizations = :made)",
        values: { ...values, ":zero": 0, ":one": 1, ":made": made, ":next": made + 1 },
      },
      ...firstOrganization(userId, values[":instant"]),
      ...listed.map((put) => ({ put })),
    ]);
    return failed.size === 0;
  };

  /** @returns false when somebody else changed the user meanwhile. */
  const makeAlone = async (user: SignedIn, stored: Stored): Promise<boolean> => {
    const { set, values, listed } = signInOf(user, stored);
    const when = "attribute_not_exists(last_sign_in_at)";
    const failed = await write([
      { update: userKey(user.userId), change: `SET ${set}`, when, values },
      ...listed.map((put) => ({ put })),
    ]);
    return failed.size === 0;
  };

  const isNews = ({ email, displayName }: SignedIn, stored: Stored): boolean =>
    now() - (stored.last_sign_in_at ?? -Infinity) >= signInMilliseconds ||
    (email !== null && email !== stored.email) ||
    isUnlisted(email, stored.listed_email) ||
    (displayName !== null && stored.display_name === "");

  /** Of sign-ins at the same time one is written. A known user is let in whether it is or not. */
  const note = async (user: SignedIn, stored: Stored): Promise<void> => {
    const { last_sign_in_at: seen } = stored;
    const { set, values: told, listed } = signInOf(user, stored);
    const [key, change] = [userKey(user.userId), `SET ${set}`];
    const when = `attribute_exists(pk) AND ${
      seen === undefined ? "attribute_not_exists(last_sign_in_at)" : "last_sign_in_at = :seen"
    }`;
    const values = { ...told, ...(seen !== undefined && { ":seen": seen }) };
    try {
      if (listed.length > 0) {
        await write([{ update: key, change, when, values }, ...listed.map((put) => ({ put }))]);
        return;
      }
      await client.send(
        new UpdateCommand({
          TableName: table("access"),
          Key: key,
          UpdateExpression: change,
          ConditionExpression: when,
          ExpressionAttributeValues: values,
        }),
        { abortSignal: AbortSignal.timeout(noteMilliseconds) },
      );
    } catch (error) {
      if (!isConditionFailure(error)) logLine("sign_in_not_noted", faultFields(error));
    }
  };

  return {
    named,

    withEmail: async (email) => {
      const users = await named(await listedUsers(database, email));
      return [...users.values()].filter((user) => comparableEmail(user.email) === email).map(({ id }) => id);
    },

    signIn: async (user) => {
      await attempts(patience.request, unavailable("The user is being created. Try again."), async () => {
        const stored = await find(user.userId);
        const isAlone = user.mayOrganize === false;
        if (isAlone && stored.last_sign_in_at === undefined) return (await makeAlone(user, stored)) || again;
        const isNew = stored.memberships === 0 && !isAlone;
        if (!isNew && !isNews(user, stored)) return true;
        if (isNew) return (await makeFirstOrganization(user, stored)) || again;
        await note(user, stored);
        return true;
      });
    },
  };
};
