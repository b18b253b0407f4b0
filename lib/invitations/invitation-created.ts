import { derivedUuid } from "../domain/access/identity.ts";
import { instantAt } from "../domain/instant.ts";
import type { Invitation } from "../domain/access/invitation.ts";
import { serviceEvent, type EventSource } from "../events/announce.ts";
import type { ServiceEvent } from "../events/service-event.ts";
import type { Organization } from "../store/access/organizations.ts";
import type { User } from "../store/access/users.ts";

/**
 * Creates the event of a new invitation, for subscribers that send the email.
 *
 * @param inviter stored user who invited; undefined if unknown.
 */
export const invitationCreatedEvent = (
  source: EventSource,
  { id: invitationId, email, role, invitedBy, createdAt, expiresAt }: Invitation,
  organization: Organization,
  inviter: User | undefined,
): ServiceEvent => {
  const id = derivedUuid("event", "invitation.created", invitationId);
  const envelope = { id, projectId: null, organizationId: organization.id, time: createdAt, page: "settings" };
  return serviceEvent("invitation.created", source, envelope, {
    event_id: id,
    invitation_id: invitationId,
    organization_name: organization.name,
    email,
    role,
    invited_by: invitedBy,
    inviter_name: inviter?.displayName ?? "",
    inviter_email: inviter?.email ?? "",
    expires_at: instantAt(expiresAt),
  });
};
