import type { DynamoDBRecord } from "aws-lambda";
import * as v from "valibot";
import { keyExpiryKey } from "../store/access/keys.ts";
import type { Item } from "../store/access/items.ts";

/** That a client (see `clientOf`) came to an organization, or that it left. */
export interface ClientChange {
  readonly client: string;
  readonly organization: string;
  readonly held: boolean;
}

const [keyPrefix, keyItem] = ["key#", "key"];
const [expiryPrefix, expiryItem] = [keyExpiryKey("").pk, keyExpiryKey("").sk];
const [organizationPrefix, memberPrefix] = ["organization#", "member#"];
const ofNoClient = "The record is of no client.";

/** Filters of the stream's mapping: new and removed API keys and memberships, and keys that are revoked or have expired. */
export const clientChangeFilters: readonly Record<string, unknown>[] = [
  { eventName: ["INSERT", "REMOVE"], dynamodb: { Keys: { pk: { S: [{ prefix: keyPrefix }] }, sk: { S: [keyItem] } } } },
  {
    eventName: ["MODIFY"],
    dynamodb: {
      Keys: { pk: { S: [{ prefix: keyPrefix }] }, sk: { S: [keyItem] } },
      NewImage: { revoked_at: { S: [{ exists: true }] } },
    },
  },
  { eventName: ["REMOVE"], dynamodb: { Keys: { pk: { S: [{ prefix: expiryPrefix }] }, sk: { S: [expiryItem] } } } },
  {
    eventName: ["INSERT", "REMOVE"],
    dynamodb: { Keys: { pk: { S: [{ prefix: organizationPrefix }] }, sk: { S: [{ prefix: memberPrefix }] } } },
  },
];

const storedKey = v.object({
  id: v.string(),
  organization: v.string(),
  revoked_at: v.optional(v.nullable(v.string())),
  expires_at: v.optional(v.nullable(v.number()), null),
});

const storedExpiry = v.object({ organization: v.string() });

/**
 * What an item of the access table says of a client: null when it is neither API key nor membership.
 *
 * @param now epoch milliseconds.
 * @throws when it is a key that does not say whose it is.
 */
export const clientOfItem = (item: Item, now: number = Date.now()): ClientChange | null => {
  const { pk, sk } = item;
  if (typeof pk !== "string" || typeof sk !== "string") return null;
  if (pk.startsWith(keyPrefix) && sk === keyItem) {
    const key = v.safeParse(storedKey, item);
    if (!key.success) throw new Error(ofNoClient);
    const { id, organization, revoked_at: revoked, expires_at: expiresAt } = key.output;
    const held = typeof revoked !== "string" && (expiresAt === null || expiresAt > now);
    return { client: `key#${id}`, organization, held };
  }
  if (!pk.startsWith(organizationPrefix) || !sk.startsWith(memberPrefix)) return null;
  const organization = pk.slice(organizationPrefix.length);
  return { client: `user#${sk.slice(memberPrefix.length)}`, organization, held: true };
};

/** What a record of the access table's stream says of a client. @throws when it is about neither key nor membership. */
export const clientChange = ({ eventName, dynamodb }: DynamoDBRecord): ClientChange => {
  const image = dynamodb?.NewImage ?? dynamodb?.OldImage;
  const textOf = (name: string): string | undefined => image?.[name]?.S;
  const [pk, sk] = [dynamodb?.Keys?.["pk"]?.S, dynamodb?.Keys?.["sk"]?.S];
  if (sk === expiryItem && pk?.startsWith(expiryPrefix) === true) {
    const { organization } = v.parse(storedExpiry, { organization: textOf("organization") });
    return { client: `key#${pk.slice(expiryPrefix.length)}`, organization, held: false };
  }
  const expiresAt = image?.["expires_at"]?.N;
  const change = clientOfItem({
    pk,
    sk,
    id: textOf("id"),
    organization: textOf("organization"),
    revoked_at: textOf("revoked_at"),
    ...(expiresAt !== undefined && { expires_at: Number(expiresAt) }),
  });
  if (change === null) throw new Error(ofNoClient);
  return { ...change, held: change.held && eventName !== "REMOVE" };
};
