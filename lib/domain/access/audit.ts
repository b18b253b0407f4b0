/** What is noted of organizations and what they have: kind and deed. */
export const auditActions = [
  "organization.created",
  "organization.renamed",
  "organization.key_makers_changed",
  "member.joined",
  "member.role_changed",
  "member.removed",
  "member.left",
  "invitation.created",
  "invitation.declined",
  "invitation.revoked",
  "project.created",
  "project.updated",
  "project.deleted",
  "project.repriced",
  "api_key.created",
  "api_key.rotated",
  "api_key.revoked",
  "api_key.deleted",
  "trace.deleted",
  "session.deleted",
  "run.deleted",
  "monitor.deleted",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Who may be noted as having done it. */
export const actorTypes = ["USER", "API_KEY"] as const;

/** Something that was done to an organization or to what it has. */
export interface AuditEvent {
  readonly id: string;
  readonly action: AuditAction;
  readonly actorType: (typeof actorTypes)[number];
  readonly actorId: string;
  readonly target: string;
  readonly details: Readonly<Record<string, string>>;
  readonly createdAt: string;
}
