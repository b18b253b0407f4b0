import * as v from "valibot";
import { singleValue, oneOf, page, optionalPaging, uuid } from "../schema/fields.ts";
import { membership, organizationParams, role } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ ...organizationParams.entries, user_id: uuid });

const keyOfMember = v.object({ id: uuid, name: v.string(), key_prefix: v.string() });

const removalReport = v.pipe(
  v.object({ revoked_keys: v.array(keyOfMember), remaining_keys: v.array(keyOfMember) }),
  v.title("MemberRemoval"),
  v.description("Active API keys that the removed member had created: keys revoked now, and keys that stay active."),
  v.examples([
    {
      revoked_keys: [
        {
          id: "c1f4a8d2-93b6-4d0e-a2c7-6e5f4d3c2b1a",
          name: "assay-cli — laptop — 2026-11-21",
          key_prefix: "sk_as_1f2e",
        },
      ],
      remaining_keys: [],
    },
  ]),
);

export const listMembers = route({
  id: "listMembers",
  method: "GET",
  path: "/organizations/{org_id}/members",
  handler: "api/access/organizations/list-members",
  summary: "List members",
  description: "Returns the members of an organization, oldest membership first.",
  access: "user",
  params: organizationParams,
  query: v.object(optionalPaging),
  success: 200,
  reply: v.union([v.array(membership), page(membership)]),
  grants: { access: { BatchGetItem: ["user"], Query: ["organization"] } },
});

export const updateMember = route({
  id: "updateMember",
  method: "PATCH",
  path: "/organizations/{org_id}/members/{user_id}",
  handler: "api/access/organizations/update-member",
  summary: "Update a member's role",
  description:
    "Requires the owner role; the roles of owners cannot be changed. Pending invitations that the new role is not allowed to send " +
    "are revoked, and with the role LABELLER the API keys of the member's command-line sign-ins.",
  access: "user",
  params,
  body: v.pipe(v.object({ role }), v.title("MemberUpdate"), v.examples([{ role: "ADMIN" }])),
  success: 200,
  reply: membership,
  conflict: "The member was changed or removed at the same time.",
  grants: {
    access: {
      GetItem: ["organization"],
      BatchGetItem: ["invitation", "key", "user"],
      Query: ["organization"],
      PutItem: ["audit"],
      UpdateItem: ["invitation", "key", "organization", "user"],
      DeleteItem: ["email"],
      ConditionCheckItem: ["organization"],
    },
  },
});

export const removeMember = route({
  id: "removeMember",
  method: "DELETE",
  path: "/organizations/{org_id}/members/{user_id}",
  handler: "api/access/organizations/remove-member",
  summary: "Remove a member",
  description:
    "Owners can remove everybody but owners, admins can remove members and labellers, and every member except the last owner can leave. Revokes the " +
    "member's pending invitations and the API keys of the member's command-line sign-ins. If the member had active keys, the reply " +
    "is 200 with the revoked and the remaining keys, which programs may still use.",
  access: "user",
  params,
  query: v.object({
    keys: v.optional(
      singleValue(
        v.pipe(
          oneOf(["keep", "revoke"]),
          v.description("Treatment of the member's other API keys, which were not created by a command-line sign-in."),
        ),
      ),
      ["keep"],
    ),
  }),
  success: 204,
  reply: v.void(),
  report: removalReport,
  conflict: "The caller is the last owner, or the member was changed at the same time.",
  grants: {
    access: {
      GetItem: ["organization"],
      BatchGetItem: ["invitation", "key"],
      Query: ["organization"],
      PutItem: ["audit"],
      UpdateItem: ["invitation", "key", "organization", "user"],
      DeleteItem: ["email", "organization", "user"],
      ConditionCheckItem: ["organization"],
    },
  },
});
