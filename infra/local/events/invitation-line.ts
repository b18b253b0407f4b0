import * as v from "valibot";
import { acceptInvitation } from "../../../lib/contract/access/me.ts";
import { eventSource } from "../../../lib/events/service-event.ts";
import { invitationCreatedType } from "../../../lib/invitations/invitation-created.ts";
import type { DeliveredEvent } from "./event-bus.ts";

const invitation = v.object({
  invitation_id: v.string(),
  organization_name: v.string(),
  email: v.string(),
  role: v.string(),
});

/** Formats an "invitation created" event as one line of text for the invited person; null for any other event. */
export const invitationLine = (event: DeliveredEvent): string | null => {
  if (event.source !== eventSource || event["detail-type"] !== invitationCreatedType) return null;
  const { email, organization_name, role, invitation_id } = v.parse(invitation, event.detail);
  const path = acceptInvitation.path.replace("{invitation_id}", invitation_id);
  const line = `Invitation for ${email} to ${organization_name} as ${role}: accept it with ${acceptInvitation.method} ${path}`;
  // The address comes from a user and could contain terminal control characters.
  return line.replaceAll(/\p{C}/gu, "");
};
