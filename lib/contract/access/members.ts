import * as v from "valibot";
import { once, oneOf, page, pagingIfAsked, uuid } from "../fields.ts";
import { membership, organizationParams, role } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ ...organizationParams.entries, user_id: uuid });

const keyOfMember = v.object({ id: uuid, name: v.string(), key_prefix: v.string() });

const removalReport = v.pipe(
  v.object({ revoked_keys: v.array(keyOfMember), remaining_keys: v.array(keyOfMember) }),
  v.title("MemberRemoval"),
  v.description("The API keys that a removed member had made and that worked."),
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
  summary: "List the members of an organization, the oldest membership first",
  access: "user",
  params: organizationParams,
  query: v.object(pagingIfAsked),
  success: 200,
  reply: v.union([v.array(membership), page(membership)]),
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
    "What the member has invited to and nobody has accepted is revoked, and so are the keys of the member's sign-ins. Where there were " +
    "keys the reply is 200, and says which were revoked and which go on: programs may rest on those.",
  access: "user",
  params,
  query: v.object({
    keys: v.optional(
      once(
        v.pipe(
          oneOf(["keep", "revoke"]),
          v.description("What becomes of the API keys that the member made otherwise than by signing in."),
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
    access: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  },
});
