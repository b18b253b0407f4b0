import type { InvitationReply, MembershipReply } from "../../contract/access/fields.ts";
import { type Invitation, statusAt } from "../../domain/access/invitation.ts";
import { derivedUuid } from "../../domain/access/identity.ts";
import { projectFields } from "../../domain/access/fields.ts";
import { valuesOfFields } from "../../domain/fields.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Membership } from "../../domain/access/membership.ts";
import { notFound, type Refusal } from "../../domain/refusal.ts";
import type { Role } from "../../domain/access/role.ts";
import type { ApiKey } from "../../store/access/api-keys.ts";
import type { ManagedOrganization, Organizations } from "../../store/access/organizations.ts";
import type { ManagedProject } from "../../store/access/project-writes.ts";
import type { User, Users } from "../../store/access/users.ts";

export const projectNotFound = (id: string): Refusal => notFound(`Project ${id} not found.`);

export const apiKeyNotFound = (id: string): Refusal => notFound(`API key ${id} not found.`);

/** Returns the API representation of an organization. */
export const organizationReply = ({ id, name, createdAt, keyMakers }: ManagedOrganization) => ({
  id,
  name,
  created_at: createdAt,
  key_makers: keyMakers,
});

/** Returns the API representation of an organization with the calling member's role. */
export const memberOrganizationReply = (organization: ManagedOrganization, role: Role) => ({
  ...organizationReply(organization),
  role,
});

/** Returns the API representation of a membership. @param user profile of the member; undefined for a member who never signed in. */
export const membershipReply = (
  { organizationId, userId, role, createdAt }: Membership,
  user: User | undefined,
): MembershipReply => ({
  id: derivedUuid("membership", organizationId, userId),
  user_id: userId,
  org_id: organizationId,
  role,
  display_name: user?.displayName ?? "",
  email: user?.email ?? "",
  created_at: createdAt,
});

/** Returns the API representations of invitations with the names of organizations and inviters. Invitations of deleted organizations are left out. */
export const invitationReplies = async (
  invitations: readonly Invitation[],
  users: Pick<Users, "findMany">,
  organizations: Pick<Organizations, "findMany">,
  now: number,
): Promise<InvitationReply[]> => {
  const [inviters, organizationsById] = await Promise.all([
    users.findMany(invitations.map(({ invitedBy }) => invitedBy)),
    organizations.findMany(invitations.map(({ organizationId }) => organizationId)),
  ]);
  return invitations.flatMap((invitation) => {
    const organization = organizationsById.get(invitation.organizationId);
    if (organization === undefined) return [];
    const inviter = inviters.get(invitation.invitedBy);
    return {
      id: invitation.id,
      org_id: organization.id,
      org_name: organization.name,
      email: invitation.email,
      role: invitation.role,
      status: statusAt(invitation, now),
      invited_by: invitation.invitedBy,
      inviter_display_name: inviter?.displayName ?? "",
      inviter_email: inviter?.email ?? "",
      created_at: invitation.createdAt,
      expires_at: instantAt(invitation.expiresAt),
    };
  });
};

/** Returns the API representation of a project. */
export const projectReply = (project: ManagedProject) => ({
  id: project.id,
  org_id: project.organizationId,
  ...valuesOfFields(projectFields, project),
  created_at: project.createdAt,
});

/** Returns the short form of an API key in the reply to the removal of its creator. */
export const keyOfMemberReply = ({ id, name, prefix }: ApiKey) => ({ id, name, key_prefix: prefix });

/** Returns the API representation of an API key. @param key secret key, only in the reply that creates the key. */
export const apiKeyReply = (apiKey: ApiKey, now: number, key: string | null = null) => ({
  id: apiKey.id,
  org_id: apiKey.organizationId,
  key_prefix: apiKey.prefix,
  name: apiKey.name,
  is_active: !apiKey.revoked && (apiKey.expiresAt === null || apiKey.expiresAt > now),
  created_at: apiKey.createdAt,
  expires_at: apiKey.expiresAt === null ? null : instantAt(apiKey.expiresAt),
  raw_key: key,
  access: apiKey.scope.access,
  project_id: apiKey.scope.projectId,
  created_by: apiKey.maker,
  sign_in: apiKey.signIn,
});
