import { removeMember } from "../../../../lib/contract/access/members.ts";
import { conflict } from "../../../../lib/domain/access/invitation.ts";
import { checkRemoval, lastOwnerRefusal } from "../../../../lib/domain/access/membership.ts";
import { requireMember } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { Report } from "../../../../lib/http/answers.ts";
import { keyOfMemberReply } from "../../../../lib/http/access/reply.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { invitationWithdrawal } from "../../../../lib/store/access/invitation-withdrawal.ts";
import { keyWithdrawal } from "../../../../lib/store/access/key-withdrawal.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const members = memberStore(database);
const [withdrawInvitations, withdrawKeys] = [invitationWithdrawal(database), keyWithdrawal(database)];

export const handler = endpoint(removeMember, environmentUserGuard(database), async ({ params, query, user }) => {
  const { org_id: organizationId, user_id: userId } = params;
  const actor = requireMember(await members.role(organizationId, user.userId));
  const member = checkRemoval(actor, await members.find(organizationId, userId), userId === user.userId);
  const outcome = await members.remove(member, user.userId);
  if (outcome === "last-owner") throw lastOwnerRefusal();
  if (outcome === "changed") throw conflict("The member was changed at the same time. Try again.");
  const { revoked, remaining } = await withdrawKeys(organizationId, userId, query.keys, user.userId);
  await withdrawInvitations(organizationId, userId, null, user.userId);
  if (revoked.length + remaining.length === 0) return undefined;
  return new Report({ revoked_keys: revoked.map(keyOfMemberReply), remaining_keys: remaining.map(keyOfMemberReply) });
});
