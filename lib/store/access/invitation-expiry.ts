import * as v from "valibot";
import { again, attempts, contended } from "../attempts.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import { accessItems, type AccessWrite, type Item } from "./items.ts";
import { invitationEntryKey, invitationKey, pendingInvitationKey, type AccessKey } from "./keys.ts";

/** Days for which a late answer is told that the invitation has expired. */
const lateDays = 30;

/** When an invitation goes that nobody has accepted, epoch seconds. @param expiresAt epoch milliseconds. */
export const invitationTtl = (expiresAt: number): number => Math.ceil(expiresAt / 1000) + lateDays * 86_400;

export interface InvitationExpiries {
  /** Whether an item is an invitation whose expiry is not what its status asks for. @throws when it cannot be read. */
  readonly isWrong: (item: Item) => boolean;
  /** Gives an invitation, and what leads to it, the expiry that its status asks for. */
  readonly mend: (item: Item) => Promise<true>;
}

const stored = v.object({
  id: v.string(),
  organization: v.string(),
  email: v.string(),
  status: v.string(),
  expires_at: v.number(),
  ttl: v.optional(v.number()),
});

type Stored = v.InferOutput<typeof stored>;

const sort = invitationKey("").sk;

/** Null: it stays. */
const wanted = ({ status, expires_at: expiresAt }: Stored): number | null =>
  status === "ACCEPTED" ? null : invitationTtl(expiresAt);

const isWrong = (invitation: Stored): boolean => (invitation.ttl ?? null) !== wanted(invitation);

/** Invitations that a version made, or let be accepted, which knew of no expiry. */
export const invitationExpiries = (database: Database): InvitationExpiries => {
  const { get, getAll, write } = accessItems(database);

  const setting = (key: AccessKey, ttl: number | null, condition: Pick<AccessWrite, "when" | "values">): AccessWrite =>
    ttl === null
      ? { update: key, change: "REMOVE #ttl", ...condition }
      : { update: key, change: "SET #ttl = :ttl", ...condition, values: { ...condition.values, ":ttl": ttl } };

  const tryToMend = async (id: string): Promise<boolean> => {
    const item = await get(invitationKey(id));
    if (item === undefined) return true;
    const invitation = v.parse(stored, item);
    if (!isWrong(invitation)) return true;
    const { organization, email, status } = invitation;
    const [entryKey, pendingKey] = [invitationEntryKey(organization, id), pendingInvitationKey(email, organization)];
    const [entry, pending] = await getAll([entryKey, pendingKey]);
    const ttl = wanted(invitation);
    const failed = await write([
      setting(invitationKey(id), ttl, { when: "#status = :status", values: { ":status": status } }),
      ...(entry === undefined ? [] : [setting(entryKey, ttl, { when: "attribute_exists(pk)" })]),
      ...(pending?.["invitation"] === id
        ? [setting(pendingKey, ttl, { when: "invitation = :id", values: { ":id": id } })]
        : []),
    ]);
    return failed.size === 0;
  };

  return {
    isWrong: (item) => item["sk"] === sort && isWrong(v.parse(stored, item)),

    mend: (item) => {
      const { id } = v.parse(stored, item);
      const moved = contended("An invitation was changed at every attempt to give it an expiry.");
      return attempts<true>(patience.brief, moved, async () => (await tryToMend(id)) || again);
    },
  };
};
