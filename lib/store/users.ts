import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { derivedUuid } from "../domain/identity.ts";
import { instantAt } from "../domain/instant.ts";
import { Refusal } from "../domain/refusal.ts";
import { faultFields, logLine } from "../log.ts";
import { memberKey, membershipKey, organizationKey, projectKey, projectNameKey, userKey } from "./access-keys.ts";
import { batchGet } from "./batch-get.ts";
import type { Database } from "./database.ts";
import { cancellationReasons, isConditionFailure, isConflict } from "./failure.ts";
import { firstProject } from "./project-writes.ts";

/** A user whose token was verified, and what the token says of them. */
export interface SignedIn {
  readonly userId: string;
  readonly email: string | null;
  readonly displayName: string | null;
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
  /**
   * Notes that a user is here. At the first sign-in this makes the user, and an organization that the user owns when
   * there is none, with a project: each once, however many first sign-ins there are at a time. Later it writes the time, at most every 5
   * minutes, and the address when it changed.
   */
  signIn(user: SignedIn): Promise<void>;
}

const signInMilliseconds = 300_000;
const firstOrganization = "My Organization";
const maxAttempts = 10;

/**
 * `memberships` counts the user's organizations, `owned` those of them that the user owns, `first_organizations` those that
 * were made by signing in.
 */
const item = v.object({
  email: v.optional(v.string(), ""),
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

  const find = async (userId: string): Promise<Stored> => {
    const { Item = {} } = await client.send(
      new GetCommand({ TableName: table("access"), Key: userKey(userId), ConsistentRead: true }),
    );
    return v.parse(item, Item);
  };

  /** What a sign-in says of a user, as parts of an update. */
  const signInOf = ({ email, displayName }: SignedIn) => {
    const at = now();
    return {
      set: [
        "last_sign_in_at = :at",
        "created_at = if_not_exists(created_at, :instant)",
        ...(email === null ? [] : ["email = :email"]),
        ...(displayName === null ? [] : ["display_name = if_not_exists(display_name, :name)"]),
      ].join(", "),
      values: {
        ":at": at,
        ":instant": instantAt(at),
        ...(email !== null && { ":email": email }),
        ...(displayName !== null && { ":name": displayName }),
      },
    };
  };

  /** @returns false when somebody else changed the user meanwhile. */
  const makeFirstOrganization = async (user: SignedIn, { first_organizations: made }: Stored): Promise<boolean> => {
    const { userId } = user;
    const organizationId = derivedUuid("organization", userId, String(made));
    const projectId = derivedUuid("project", organizationId, firstProject.name);
    const { set, values } = signInOf(user);
    const created_at = values[":instant"];
    const TableName = table("access");
    const ConditionExpression = "attribute_not_exists(pk)";
    const member = { role: "OWNER", created_at };
    try {
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Update: {
                TableName,
                Key: userKey(userId),
                UpdateExpression: `SET ${set}, memberships = :one, first_organizations = :next ADD owned :one`,
                ConditionExpression:
                  "(attribute_not_exists(memberships) OR memberships = :zero) AND " +
                  "(attribute_not_exists(first_organizations) OR first_organizations = :made)",
                ExpressionAttributeValues: { ...values, ":zero": 0, ":one": 1, ":made": made, ":next": made + 1 },
              },
            },
            {
              Put: {
                TableName,
                Item: {
                  ...organizationKey(organizationId),
                  name: firstOrganization,
                  projects: 1,
                  owners: 1,
                  created_at,
                },
                ConditionExpression,
              },
            },
            {
              Put: {
                TableName,
                Item: { ...projectKey(projectId), organization: organizationId, ...firstProject, created_at },
              },
            },
            {
              Put: {
                TableName,
                Item: { ...projectNameKey(organizationId, firstProject.name), project: projectId, created_at },
              },
            },
            { Put: { TableName, Item: { ...memberKey(organizationId, userId), ...member } } },
            { Put: { TableName, Item: { ...membershipKey(organizationId, userId), ...member } } },
          ],
        }),
      );
      return true;
    } catch (error) {
      if (cancellationReasons(error)?.[0] === "ConditionalCheckFailed" || isConflict(error)) return false;
      throw error;
    }
  };

  const isNews = ({ email, displayName }: SignedIn, stored: Stored): boolean =>
    now() - (stored.last_sign_in_at ?? -Infinity) >= signInMilliseconds ||
    (email !== null && email !== stored.email) ||
    (displayName !== null && stored.display_name === "");

  /** Of sign-ins at the same time one is written. A known user is let in whether it is or not. */
  const note = async (user: SignedIn, { last_sign_in_at: seen }: Stored): Promise<void> => {
    const { set, values } = signInOf(user);
    try {
      await client.send(
        new UpdateCommand({
          TableName: table("access"),
          Key: userKey(user.userId),
          UpdateExpression: `SET ${set}`,
          ConditionExpression: `attribute_exists(pk) AND ${
            seen === undefined ? "attribute_not_exists(last_sign_in_at)" : "last_sign_in_at = :seen"
          }`,
          ExpressionAttributeValues: { ...values, ...(seen !== undefined && { ":seen": seen }) },
        }),
      );
    } catch (error) {
      if (!isConditionFailure(error)) logLine("sign_in_not_noted", faultFields(error));
    }
  };

  return {
    named: async (ids) => {
      const found = (await batchGet(database, "access", [...new Set(ids)].map(userKey))).map(userOf);
      return new Map(found.map((user) => [user.id, user]));
    },

    signIn: async (user) => {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const stored = await find(user.userId);
        if (stored.memberships > 0) {
          if (isNews(user, stored)) await note(user, stored);
          return;
        }
        if (await makeFirstOrganization(user, stored)) return;
        await wait(Math.random() * Math.min(200, 10 * 2 ** attempt));
      }
      throw new Refusal({ kind: "unavailable", detail: "The user is being created. Try again." });
    },
  };
};
