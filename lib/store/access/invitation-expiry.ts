import * as v from "valibot";
import { tryAgain, withRetries, throwContention } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import type { Write, Item } from "../../dynamo/items.ts";
import { accessItems } from "./items.ts";
import { invitationEntryKey, invitationKey, pendingInvitationKey, type AccessKey } from "./keys.ts";

/** Days after its expiry during which an invitation is still answered as expired. */
const graceDays = 30;

/**
 * Expiry (TTL, epoch seconds) of an invitation's items while it is not accepted.
 *
 * @param expiresAt expiry of the invitation, epoch milliseconds.
 */
export const invitationTtl = (expiresAt: number): number => Math.ceil(expiresAt / 1000) + graceDays * 86_400;

/** Finds and repairs invitations whose expiry (TTL) does not match their status. */
export interface InvitationExpiryRepair {
  /**
   * True if an item is an invitation whose TTL does not match its status.
   *
   * @throws ValiError when the item cannot be parsed.
   */
  readonly isWrong: (item: Item) => boolean;
  /** Sets the TTL of an invitation and of its list entries to the value that its status requires. */
  readonly repair: (item: Item) => Promise<true>;
}

const invitationItem = v.object({
  id: v.string(),
  organization: v.string(),
  email: v.string(),
  status: v.string(),
  expires_at: v.number(),
  ttl: v.optional(v.number()),
});

type StoredInvitation = v.InferOutput<typeof invitationItem>;

const sort = invitationKey("").sk;

/** TTL that an invitation must have; null for accepted invitations, which do not expire. */
const expectedTtl = ({ status, expires_at: expiresAt }: StoredInvitation): number | null =>
  status === "ACCEPTED" ? null : invitationTtl(expiresAt);

const isWrong = (invitation: StoredInvitation): boolean => (invitation.ttl ?? null) !== expectedTtl(invitation);

/** Repairs invitations that versions without TTLs created or accepted. */
export const invitationExpiryRepair = (database: Database): InvitationExpiryRepair => {
  const { get, getAll, write } = accessItems(database);

  const ttlUpdate = (key: AccessKey, ttl: number | null, condition: Pick<Write, "when" | "values">): Write =>
    ttl === null
      ? { update: key, change: "REMOVE #ttl", ...condition }
      : { update: key, change: "SET #ttl = :ttl", ...condition, values: { ...condition.values, ":ttl": ttl } };

  const tryRepair = async (id: string): Promise<boolean> => {
    const item = await get(invitationKey(id));
    if (item === undefined) return true;
    const invitation = v.parse(invitationItem, item);
    if (!isWrong(invitation)) return true;
    const { organization, email, status } = invitation;
    const [entryKey, pendingKey] = [invitationEntryKey(organization, id), pendingInvitationKey(email, organization)];
    const [entry, pending] = await getAll([entryKey, pendingKey]);
    const ttl = expectedTtl(invitation);
    const failedWrites = await write([
      ttlUpdate(invitationKey(id), ttl, { when: "#status = :status", values: { ":status": status } }),
      ...(entry === undefined ? [] : [ttlUpdate(entryKey, ttl, { when: "attribute_exists(pk)" })]),
      ...(pending?.["invitation"] === id
        ? [ttlUpdate(pendingKey, ttl, { when: "invitation = :id", values: { ":id": id } })]
        : []),
    ]);
    return failedWrites.size === 0;
  };

  return {
    isWrong: (item) => item["sk"] === sort && isWrong(v.parse(invitationItem, item)),

    repair: (item) => {
      const { id } = v.parse(invitationItem, item);
      const contention = throwContention("The invitation changed during every attempt to set its expiry.");
      return withRetries<true>(immediateRetryPolicy, contention, async () => (await tryRepair(id)) || tryAgain);
    },
  };
};
