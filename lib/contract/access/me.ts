import * as v from "valibot";
import { replyInstant, page, optionalPaging, uuid } from "../schema/fields.ts";
import { invitation, membership } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ invitation_id: uuid });

const user = v.pipe(
  v.object({
    id: uuid,
    email: v.string(),
    display_name: v.string(),
    organization_id: v.nullable(uuid),
    created_at: replyInstant,
    last_sign_in_at: v.nullable(replyInstant),
  }),
  v.title("User"),
  v.description(
    "A user. `organization_id` is the organization in `X-Organization-ID`, or else of the oldest membership. `last_sign_in_at` may be " +
      "up to 5 minutes old.",
  ),
  v.examples([
    {
      id: "7a1d4a52-8c0f-8b1e-a6c3-2f4b8d9e0c11",
      email: "ann@example.com",
      display_name: "Ann",
      organization_id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
      created_at: "2026-11-21T09:00:00.000000+00:00",
      last_sign_in_at: "2026-11-21T09:00:00.000000+00:00",
    },
  ]),
);

export const getMe = route({
  id: "getMe",
  method: "GET",
  path: "/me",
  handler: "api/access/me/get-me",
  summary: "Get the current user",
  access: "user",
  success: 200,
  reply: user,
  grants: { access: { BatchGetItem: ["organization", "user"], Query: ["user"] } },
});

export const deleteMe = route({
  id: "deleteMe",
  method: "DELETE",
  path: "/me",
  handler: "api/access/me/delete-me",
  summary: "Delete the current user",
  description:
    "Removes a user who owns no organization: all memberships, the name, the e-mail address and the list of own deletions. Previous " +
    "addresses are removed within days after they change. Records of organizations remain: scores and runs with the user's id, " +
    "audit events and deletion receipts with the user's id (400 days each), and accepted invitations with the address. A later " +
    "request with a token creates a new user with a new organization, so sign out first. The request can be repeated; 503 means " +
    "that memberships remain and the request must be sent again.",
  access: "user",
  success: 204,
  reply: v.void(),
  conflict: "The caller owns an organization, which must be deleted or transferred first.",
  grants: {
    access: {
      GetItem: ["organization", "user"],
      BatchGetItem: ["key", "organization"],
      Query: ["organization", "user"],
      PutItem: ["audit"],
      UpdateItem: ["key", "user"],
      DeleteItem: ["email", "organization", "user"],
      BatchWriteItem: ["user"],
      ConditionCheckItem: ["organization"],
    },
  },
});

export const listMyInvitations = route({
  id: "listMyInvitations",
  method: "GET",
  path: "/me/invitations",
  handler: "api/access/me/list-my-invitations",
  summary: "List the caller's invitations",
  description: "Returns pending invitations to the caller's e-mail address, newest first.",
  access: "user",
  query: v.object(optionalPaging),
  success: 200,
  reply: v.union([v.array(invitation), page(invitation)]),
  grants: { access: { BatchGetItem: ["invitation", "organization", "user"], Query: ["email"] } },
});

export const acceptInvitation = route({
  id: "acceptInvitation",
  method: "POST",
  idempotency: "replay",
  path: "/me/invitations/{invitation_id}/accept",
  handler: "api/access/me/accept-invitation",
  summary: "Accept an invitation",
  access: "user",
  params,
  success: 200,
  reply: membership,
  conflict: "The invitation is not pending, its sender may no longer invite, or the caller is already a member.",
  grants: {
    access: {
      GetItem: ["invitation", "organization"],
      BatchGetItem: ["user"],
      PutItem: ["audit", "organization", "user"],
      UpdateItem: ["invitation", "organization", "user"],
      DeleteItem: ["email"],
      ConditionCheckItem: ["organization"],
    },
  },
});

export const declineInvitation = route({
  id: "declineInvitation",
  method: "POST",
  idempotency: "replay",
  path: "/me/invitations/{invitation_id}/decline",
  handler: "api/access/me/decline-invitation",
  summary: "Decline an invitation",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "The invitation is not pending: it was answered or revoked, or has expired.",
  grants: {
    access: { GetItem: ["invitation"], PutItem: ["audit"], UpdateItem: ["invitation"], DeleteItem: ["email"] },
  },
});
