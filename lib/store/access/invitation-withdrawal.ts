import { offsetPage } from "../../domain/page.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import { canStillInvite } from "../../domain/access/invitation.ts";
import type { Role } from "../../domain/access/role.ts";
import type { Database } from "../../dynamo/database.ts";
import { invitationStore } from "./invitations.ts";

/** Invitations read per page. */
const pageSize = 100;

/** Invitations revoked in parallel. */
const width = 10;

/**
 * Returns a function that revokes the pending invitations that a member may not issue any more, after the member was
 * removed (`role` null) or got another role. An invitation that is not revoked because of a crash is refused when it is
 * accepted. `changedBy` is the id of the user who removed or changed the member.
 */
export const invitationWithdrawal = (database: Database, now: () => number = Date.now) => {
  const invitations = invitationStore(database, now);
  return async (organizationId: string, userId: string, role: Role | null, changedBy: string): Promise<void> => {
    for (let offset = 0, isLastPage = false; !isLastPage; offset += pageSize) {
      const { items, total } = await invitations.page(organizationId, offsetPage(pageSize, offset));
      const withdrawn = items.filter(
        (each) => each.invitedBy === userId && each.status === "PENDING" && !canStillInvite(role, each.role),
      );
      await mapConcurrently(withdrawn, width, (each) => invitations.end(each, "REVOKED", changedBy));
      isLastPage = offset + pageSize >= total;
    }
  };
};
