import { derivedUuid } from "../domain/access/identity.ts";
import { instantAt } from "../domain/instant.ts";
import type { Invitation } from "../domain/access/invitation.ts";
import type { ServiceEvent } from "../events/service-event.ts";
import type { Organization } from "../store/access/organizations.ts";
import type { User } from "../store/access/users.ts";

export const invitationCreatedType = "Invitation created";

/**
 * Creates the event of a new invitation, for subscribers that send the email. It may be delivered more than once, with the same
 * `event_id`.
 *
 * @param stage name of the deployment, because several may share an event bus.
 * @param inviter stored user who invited; undefined if unknown.
 */
export const invitationCreated = (
  stage: string,
  { id, email, role, invitedBy, createdAt, expiresAt }: Invitation,
  organization: Organization,
  inviter: User | undefined,
): ServiceEvent => ({
  detailType: invitationCreatedType,
  time: createdAt,
  detail: {
    event_id: derivedUuid("event", invitationCreatedType, id),
    stage,
    invitation_id: id,
    organization_id: organization.id,
    organization_name: organization.name,
    email,
    role,
    invited_by: invitedBy,
    inviter_name: inviter?.displayName ?? "",
    inviter_email: inviter?.email ?? "",
    expires_at: instantAt(expiresAt),
  },
});
