import * as v from "valibot";
import { instant, page, paging, uuid } from "../fields.ts";
import { invitation, membership } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ invitation_id: uuid });

const user = v.pipe(
  v.object({
    id: uuid,
    email: v.string(),
    display_name: v.string(),
    organization_id: v.nullable(uuid),
    created_at: instant,
    last_sign_in_at: v.nullable(instant),
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
      created_at: "2026-11-21T09:00:00+00:00",
      last_sign_in_at: "2026-11-21T09:00:00+00:00",
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

export const listMyInvitations = route({
  id: "listMyInvitations",
  method: "GET",
  path: "/me/invitations",
  handler: "api/access/me/list-my-invitations",
  summary: "List the pending invitations to the caller's e-mail address, newest first",
  access: "user",
  query: v.object(paging),
  success: 200,
  reply: page(invitation),
  grants: { access: ["BatchGetItem", "Query"] },
});

export const acceptInvitation = route({
  id: "acceptInvitation",
  method: "POST",
  path: "/me/invitations/{invitation_id}/accept",
  handler: "api/access/me/accept-invitation",
  summary: "Become a member of the organization that invites",
  access: "user",
  params,
  success: 200,
  reply: membership,
  conflict: "The invitation was answered, revoked or has expired, or the caller is a member already.",
  grants: { access: ["BatchGetItem", "DeleteItem", "ConditionCheckItem"] },
});

export const declineInvitation = route({
  id: "declineInvitation",
  method: "POST",
  path: "/me/invitations/{invitation_id}/decline",
  handler: "api/access/me/decline-invitation",
  summary: "Turn an invitation down",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "The invitation was answered, revoked or has expired.",
  grants: { access: ["DeleteItem"] },
});
