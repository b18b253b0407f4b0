import type { DynamoDBRecord } from "aws-lambda";
import * as v from "valibot";
import { keyExpiryKey, postponedClientsKey } from "../store/access/keys.ts";
import type { Item } from "../dynamo/items.ts";
import { invitationItem } from "./new-invitation.ts";

/**
 * Change of an API client (a user or an API key, see `clientOf`): it now belongs to an organization, or no longer does.
 */
export interface ClientChange {
  readonly client: string;
  readonly organization: string;
  readonly isHeld: boolean;
}

const [keyPrefix, keyItem] = ["key#", "key"];
const [expiryPrefix, expiryItem] = [keyExpiryKey("").pk, keyExpiryKey("").sk];
const [organizationPrefix, memberPrefix] = ["organization#", "member#"];
const notAClientMessage = "The record is not about an API client.";

/**
 * Filters of the access table's stream, for the Lambda event source mapping: new and removed API keys, memberships and
 * invitations, and revoked and expired keys. The first filter has the pairs of all three: no item has the partition key of one
 * and the sort key of another.
 */
export const clientChangeFilters: readonly Record<string, unknown>[] = [
  {
    eventName: ["INSERT", "REMOVE"],
    dynamodb: {
      Keys: {
        pk: { S: [{ prefix: keyPrefix }, { prefix: organizationPrefix }, { prefix: invitationItem.prefix }] },
        sk: { S: [keyItem, { prefix: memberPrefix }, invitationItem.sort] },
      },
    },
  },
  {
    eventName: ["MODIFY"],
    dynamodb: {
      Keys: { pk: { S: [{ prefix: keyPrefix }] }, sk: { S: [keyItem] } },
      NewImage: { revoked_at: { S: [{ exists: true }] } },
    },
  },
  { eventName: ["REMOVE"], dynamodb: { Keys: { pk: { S: [{ prefix: expiryPrefix }] }, sk: { S: [expiryItem] } } } },
];

/** True if a stream record of the access table lists clients that an earlier batch had no time for. */
export const isPostponement = ({ dynamodb }: DynamoDBRecord): boolean =>
  dynamodb?.Keys?.["pk"]?.S === postponedClientsKey.pk && dynamodb.Keys["sk"]?.S === postponedClientsKey.sk;

const storedKey = v.object({
  id: v.string(),
  organization: v.string(),
  revoked_at: v.optional(v.nullable(v.string())),
  expires_at: v.optional(v.nullable(v.number()), null),
});

const storedExpiry = v.object({ organization: v.string() });

/**
 * Reads an item of the access table as a client change; null if it is neither an API key nor a membership.
 *
 * @param now current time, epoch milliseconds.
 * @throws Error if the item is an API key without an organization.
 */
export const clientOfItem = (item: Item, now: number = Date.now()): ClientChange | null => {
  const { pk, sk } = item;
  if (typeof pk !== "string" || typeof sk !== "string") return null;
  if (pk.startsWith(keyPrefix) && sk === keyItem) {
    const key = v.safeParse(storedKey, item);
    if (!key.success) throw new Error(notAClientMessage);
    const { id, organization, revoked_at: revoked, expires_at: expiresAt } = key.output;
    const isHeld = typeof revoked !== "string" && (expiresAt === null || expiresAt > now);
    return { client: `key#${id}`, organization, isHeld };
  }
  if (!pk.startsWith(organizationPrefix) || !sk.startsWith(memberPrefix)) return null;
  const organization = pk.slice(organizationPrefix.length);
  return { client: `user#${sk.slice(memberPrefix.length)}`, organization, isHeld: true };
};

/**
 * Reads a stream record of the access table as a client change.
 *
 * @throws Error if the record is about neither an API key nor a membership.
 */
export const clientChange = ({ eventName, dynamodb }: DynamoDBRecord): ClientChange => {
  const image = dynamodb?.NewImage ?? dynamodb?.OldImage;
  const stringAttribute = (name: string): string | undefined => image?.[name]?.S;
  const [pk, sk] = [dynamodb?.Keys?.["pk"]?.S, dynamodb?.Keys?.["sk"]?.S];
  if (sk === expiryItem && pk?.startsWith(expiryPrefix) === true) {
    const { organization } = v.parse(storedExpiry, { organization: stringAttribute("organization") });
    return { client: `key#${pk.slice(expiryPrefix.length)}`, organization, isHeld: false };
  }
  const expiresAt = image?.["expires_at"]?.N;
  const change = clientOfItem({
    pk,
    sk,
    id: stringAttribute("id"),
    organization: stringAttribute("organization"),
    revoked_at: stringAttribute("revoked_at"),
    ...(expiresAt !== undefined && { expires_at: Number(expiresAt) }),
  });
  if (change === null) throw new Error(notAClientMessage);
  return { ...change, isHeld: change.isHeld && eventName !== "REMOVE" };
};
