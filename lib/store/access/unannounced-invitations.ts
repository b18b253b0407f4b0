import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import { invitationLifetime } from "../../domain/access/invitation.ts";
import { accessPartitions } from "../../dynamo/table.ts";

const pk = accessPartitions.reconciliation;

const marker = v.object({ pk: v.literal(pk), invitation: v.string(), announced: v.literal(false) });

/** Markers of invitations whose event could not be put on the bus, for the hourly reconciliation. */
export interface UnannouncedInvitations {
  mark(invitation: string): Promise<void>;
  clear(invitation: string): Promise<void>;
  /** Returns the ids of the marked invitations among items of the access table. */
  among(items: readonly Item[]): readonly string[];
}

export const unannouncedInvitations = (database: Database, now: () => number = Date.now): UnannouncedInvitations => {
  const store = async (invitation: string, announced: boolean): Promise<void> => {
    // No invitation is pending longer.
    const ttl = Math.ceil((now() + invitationLifetime) / 1000);
    await itemsOf(database, "access").put({ pk, sk: `invitation#${invitation}`, invitation, announced, ttl });
  };
  return {
    mark: (invitation) => store(invitation, false),
    // The worker may not delete items of this partition; an announced marker expires.
    clear: (invitation) => store(invitation, true),
    among: (items) =>
      items.flatMap((item) => (v.is(marker, item) && isLive(item, now()) ? v.parse(marker, item).invitation : [])),
  };
};
