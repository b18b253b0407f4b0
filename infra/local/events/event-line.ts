import * as v from "valibot";
import { acceptInvitation } from "../../../lib/contract/access/me.ts";
import { eventSource } from "../../../lib/events/service-event.ts";
import type { DeliveredEvent } from "./event-bus.ts";

const invitation = v.object({
  invitation_id: v.string(),
  organization_name: v.string(),
  email: v.string(),
  role: v.string(),
});

const invitationLine = (detail: DeliveredEvent["detail"]): string => {
  const { email, organization_name, role, invitation_id } = v.parse(invitation, detail);
  const path = acceptInvitation.path.replace("{invitation_id}", invitation_id);
  return `Invitation for ${email} to ${organization_name} as ${role}: accept it with ${acceptInvitation.method} ${path}`;
};

/** Formats an event of the service as one line of text: an invitation for the invited person. Null for events of other sources. */
export const eventLine = ({ source, detail, "detail-type": kind }: DeliveredEvent): string | null => {
  if (source !== eventSource) return null;
  const line = kind === "invitation.created" ? invitationLine(detail) : `Event ${kind}: ${String(detail["url"])}`;
  // The address comes from a user and could contain terminal control characters.
  return line.replaceAll(/\p{C}/gu, "");
};
