import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { derivedUuid } from "../domain/identity.ts";
import { instantAt } from "../domain/instant.ts";
import { Refusal } from "../domain/refusal.ts";
import { faultFields, logLine } from "../log.ts";
import { memberKey, membershipKey, organizationKey, userKey } from "./access-keys.ts";
import type { Database } from "./database.ts";
import { cancellationReasons, isConditionFailure, isConflict } from "./failure.ts";

/** A user whose token was verified, and what the token says of them. */
export interface SignedIn {
  readonly userId: string;
  readonly email: string | null;
  readonly displayName: string | null;
}

export interface Users {
  /**
   * Notes that a user is here. At the first sign-in this makes the user, and an organization that the user owns when
   * there is none: each once, however many first sign-ins there are at a time. Later it writes the time, at most every 5
   * minutes, and the address when it changed.
   */
  signIn(user: SignedIn): Promise<void>;
}

const signInMilliseconds = 300_000;
const firstOrganization = "My Organization";
const maxAttempts = 10;

/** `memberships` counts the user's organizations, `first_organizations` those that were made by signing in. */
const item = v.object({
  email: v.optional(v.string(), ""),
  display_name: v.optional(v.string(), ""),
  last_sign_in_at: v.optional(v.number()),
  memberships: v.optional(v.number(), 0),
  first_organizations: v.optional(v.number(), 0),
});

type Stored = v.InferOutput<typeof item>;

export const userStore = ({ client, table }: Database, now: () => number = Date.now): Users => {
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
                UpdateExpression: `SET ${set}, memberships = :one, first_organizations = :next`,
                ConditionExpression:
                  "(attribute_not_exists(memberships) OR memberships = :zero) AND " +
                  "(attribute_not_exists(first_organizations) OR first_organizations = :made)",
                ExpressionAttributeValues: { ...values, ":zero": 0, ":one": 1, ":made": made, ":next": made + 1 },
              },
            },
            {
              Put: {
                TableName,
                Item: { ...organizationKey(organizationId), name: firstOrganization, projects: 0, created_at },
                ConditionExpression,
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
