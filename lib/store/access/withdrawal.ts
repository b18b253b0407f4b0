import { pageAt } from "../../domain/page.ts";
import { sideBySide } from "../../async/side-by-side.ts";
import { mayInvite } from "../../domain/access/invitation.ts";
import type { Role } from "../../domain/access/role.ts";
import type { Database } from "../database.ts";
import { invitationStore } from "./invitations.ts";

/** Invitations looked through at a time. */
const pageSize = 100;

/** Invitations ended side by side. */
const width = 10;

/**
 * Takes back what a member has invited to and may not any more, after the member was removed or has another role. What it
 * does not get to is refused when it is accepted.
 *
 * @returns a function; `role`: the member's by now, null for who is none any more; `by`: who removed or changed the member.
 */
export const invitationWithdrawal = (database: Database, now: () => number = Date.now) => {
  const invitations = invitationStore(database, now);
  return async (organizationId: string, userId: string, role: Role | null, by: string): Promise<void> => {
    for (let offset = 0, isAll = false; !isAll; offset += pageSize) {
      const { items, total } = await invitations.page(organizationId, pageAt(pageSize, offset));
      const withdrawn = items.filter(
        (each) => each.invitedBy === userId && each.status === "PENDING" && !mayInvite(role, each.role),
      );
      await sideBySide(withdrawn, width, (each) => invitations.end(each, "REVOKED", by));
      isAll = offset + pageSize >= total;
    }
  };
};
