import * as v from "valibot";
import { page, paging, uuid } from "../fields.ts";
import { membership, organizationParams, role } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ ...organizationParams.entries, user_id: uuid });

export const listMembers = route({
  id: "listMembers",
  method: "GET",
  path: "/organizations/{org_id}/members",
  handler: "api/access/organizations/list-members",
  summary: "List the members of an organization, the oldest membership first",
  access: "user",
  params: organizationParams,
  query: v.object(paging),
  success: 200,
  reply: page(membership),
  grants: { access: ["GetItem", "BatchGetItem", "Query"] },
});

export const updateMember = route({
  id: "updateMember",
  method: "PATCH",
  path: "/organizations/{org_id}/members/{user_id}",
  handler: "api/access/organizations/update-member",
  summary: "Give a member another role",
  description:
    "For owners; neither their own role nor that of another owner. Pending invitations that the member may not make any more " +
    "are revoked.",
  access: "user",
  params,
  body: v.pipe(v.object({ role }), v.title("MemberUpdate"), v.examples([{ role: "ADMIN" }])),
  success: 200,
  reply: membership,
  conflict: "The member was changed or removed at the same time.",
  grants: {
    access: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  },
});

export const removeMember = route({
  id: "removeMember",
  method: "DELETE",
  path: "/organizations/{org_id}/members/{user_id}",
  handler: "api/access/organizations/remove-member",
  summary: "Remove a member, or leave",
  description:
    "Owners remove admins and members, admins members. Everybody may leave but the last owner. " +
    "What the member has invited to and nobody has accepted is revoked.",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "The caller is the last owner, or the member was changed at the same time.",
  grants: {
    access: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  },
});
