import { updateMember } from "../../../../lib/contract/access/members.ts";
import { conflict } from "../../../../lib/domain/access/invitation.ts";
import { checkRoleChange } from "../../../../lib/domain/access/membership.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { membershipReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { invitationWithdrawal } from "../../../../lib/store/access/invitation-withdrawal.ts";
import { keyWithdrawal } from "../../../../lib/store/access/key-withdrawal.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { userStore } from "../../../../lib/store/access/users.ts";

const database = connect();
const [users, members] = [userStore(database), memberStore(database)];
const [withdrawInvitations, withdrawKeys] = [invitationWithdrawal(database), keyWithdrawal(database)];

export const handler = endpoint(
  updateMember,
  environmentUserGuard(database),
  async ({ body: { role }, params, user }) => {
    const { org_id: organizationId, user_id: userId } = params;
    const actor = requireRole(await members.role(organizationId, user.userId));
    const member = checkRoleChange(actor, await members.find(organizationId, userId), userId === user.userId);
    if (role !== member.role) {
      if (!(await members.changeRole(member, role, user.userId)))
        throw conflict("The member was changed at the same time. Try again.");
      await withdrawInvitations(organizationId, userId, role, user.userId);
      if (role === "LABELLER") await withdrawKeys(organizationId, userId, "keep", user.userId);
    }
    return membershipReply({ ...member, role }, (await users.findMany([userId])).get(userId));
  },
);
