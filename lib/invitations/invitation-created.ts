import { derivedUuid } from "../domain/access/identity.ts";
import { instantAt } from "../domain/instant.ts";
import type { Invitation } from "../domain/access/invitation.ts";
import type { ServiceEvent } from "../events/service-event.ts";
import type { Organization } from "../store/access/organizations.ts";
import type { User } from "../store/access/users.ts";

export const invitationCreatedType = "Invitation created";

/**
 * The event that lets somebody write to who is invited. It may come more than once; `event_id` is the same each time.
 *
 * @param stage tells the deployments apart that share an account's bus.
 * @param inviter what is known of the user who invites.
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
