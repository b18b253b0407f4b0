import * as v from "valibot";
import { roles } from "../../domain/access/role.ts";
import { oneOf, uuid } from "../schema/fields.ts";
import { described, eventInstant, eventKind, exampleId } from "./event.ts";

export const invitationCreated = eventKind(
  "InvitationCreatedEvent",
  "A person was invited to an organization. Nothing but this event tells them.",
  {
    event_id: described(uuid, "The same as `id`."),
    invitation_id: uuid,
    organization_name: v.string(),
    email: v.string(),
    role: oneOf(roles),
    invited_by: v.string(),
    inviter_name: v.string(),
    inviter_email: v.string(),
    expires_at: eventInstant,
  },
  {
    page: "settings",
    project_id: null,
    event_id: exampleId(1),
    invitation_id: exampleId(7),
    organization_name: "Acme",
    email: "bob@example.com",
    role: "MEMBER",
    invited_by: exampleId(8),
    inviter_name: "Olga",
    inviter_email: "olga@example.com",
    expires_at: "2026-11-28T09:00:00.000000+00:00",
  },
);
