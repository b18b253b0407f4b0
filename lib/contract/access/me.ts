import * as v from "valibot";
import { replyInstant, page, pagingIfAsked, uuid } from "../fields.ts";
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
    "`organization_id` is the organization that `X-Organization-ID` names, else that of the oldest membership. " +
      "`last_sign_in_at` is up to 5 minutes old.",
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
  summary: "Read who is asking",
  access: "user",
  success: 200,
  reply: user,
  grants: { access: ["BatchGetItem", "Query"] },
});

export const deleteMe = route({
  id: "deleteMe",
  method: "DELETE",
  path: "/me",
  handler: "api/access/me/delete-me",
  summary: "Remove the caller from the service",
  description:
    "For a user who owns no organization. They leave every organization, and their name, their address and the list of what they " +
    "deleted are removed; an address that was theirs before has gone within days of its change. What organizations have written " +
    "stays with them, as their record of who did what: scores and runs with the user's id, audit events (400 days) and receipts of " +
    "deletions (400 days), which name the user's id, and invitations that the user has accepted, which name the address. What is " +
    "asked with a token after that is a new user's, who gets an organization of their own: sign out first. A request that is " +
    "repeated ends the same; 503 says that there is more to leave, and to send it again.",
  access: "user",
  success: 204,
  reply: v.void(),
  conflict: "The caller owns an organization: it has to be deleted or handed over first.",
  grants: {
    access: ["Query", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem"],
  },
});

export const listMyInvitations = route({
  id: "listMyInvitations",
  method: "GET",
  path: "/me/invitations",
  handler: "api/access/me/list-my-invitations",
  summary: "List the pending invitations to the caller's e-mail address, newest first",
  access: "user",
  query: v.object(pagingIfAsked),
  success: 200,
  reply: v.union([v.array(invitation), page(invitation)]),
  grants: { access: ["BatchGetItem", "Query"] },
});

export const acceptInvitation = route({
  id: "acceptInvitation",
  method: "POST",
  repeats: "recorded",
  path: "/me/invitations/{invitation_id}/accept",
  handler: "api/access/me/accept-invitation",
  summary: "Become a member of the organization that invites",
  access: "user",
  params,
  success: 200,
  reply: membership,
  conflict:
    "The invitation was answered, revoked or has expired, who sent it may not invite any more, or the caller is a member already.",
  grants: { access: ["BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"] },
});

export const declineInvitation = route({
  id: "declineInvitation",
  method: "POST",
  repeats: "recorded",
  path: "/me/invitations/{invitation_id}/decline",
  handler: "api/access/me/decline-invitation",
  summary: "Turn an invitation down",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "The invitation was answered, revoked or has expired.",
  grants: { access: ["PutItem", "UpdateItem", "DeleteItem"] },
});
