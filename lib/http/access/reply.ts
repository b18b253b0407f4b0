import type { InvitationReply, MembershipReply } from "../../contract/access/fields.ts";
import { type Invitation, statusAt } from "../../domain/access/invitation.ts";
import { derivedUuid } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Membership } from "../../domain/access/membership.ts";
import { notFound, type Refusal } from "../../domain/refusal.ts";
import type { Role } from "../../domain/access/role.ts";
import type { ApiKey } from "../../store/access/api-keys.ts";
import type { ManagedOrganization, Organizations } from "../../store/access/organizations.ts";
import type { ManagedProject } from "../../store/access/projects.ts";
import type { User, Users } from "../../store/access/users.ts";

export const projectNotFound = (id: string): Refusal => notFound(`Project ${id} not found.`);

export const apiKeyNotFound = (id: string): Refusal => notFound(`API key ${id} not found.`);

/** An organization as the wire has it. */
export const organizationReply = ({ id, name, createdAt, keyMakers }: ManagedOrganization) => ({
  id,
  name,
  created_at: createdAt,
  key_makers: keyMakers,
});

/** An organization as one of its members sees it. */
export const ownOrganizationReply = (organization: ManagedOrganization, role: Role) => ({
  ...organizationReply(organization),
  role,
});

/** A member as the wire has it. @param user what is known of them; a member who never signed in has no name or address. */
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

/** Invitations as the wire has them, with the names of organizations and inviters. */
export const invitationReplies = async (
  invitations: readonly Invitation[],
  users: Pick<Users, "named">,
  organizations: Pick<Organizations, "named">,
  now: number,
): Promise<InvitationReply[]> => {
  const [inviters, inviting] = await Promise.all([
    users.named(invitations.map(({ invitedBy }) => invitedBy)),
    organizations.named(invitations.map(({ organizationId }) => organizationId)),
  ]);
  return invitations.flatMap((invitation) => {
    const organization = inviting.get(invitation.organizationId);
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

/** A project as the wire has it. */
export const projectReply = ({ id, organizationId, name, description, metadataKeys, createdAt }: ManagedProject) => ({
  id,
  org_id: organizationId,
  name,
  description,
  metadata_keys: [...metadataKeys],
  created_at: createdAt,
});

/** An API key as it is told of when its maker goes. */
export const keyOfMemberReply = ({ id, name, prefix }: ApiKey) => ({ id, name, key_prefix: prefix });

/** An API key as the wire has it. @param key the key itself, in the reply that makes it only. */
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
