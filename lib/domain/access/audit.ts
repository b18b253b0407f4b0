/** Actions recorded in the audit log of an organization: kind of object and event. */
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
  "user.erased",
  "trace.deleted",
  "session.deleted",
  "run.deleted",
  "monitor.deleted",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Kinds of actors in the audit log. */
export const actorTypes = ["USER", "API_KEY"] as const;

/** An entry of an organization's audit log. */
export interface AuditEvent {
  readonly id: string;
  readonly action: AuditAction;
  readonly actorType: (typeof actorTypes)[number];
  readonly actorId: string;
  readonly target: string;
  readonly details: Readonly<Record<string, string>>;
  readonly createdAt: string;
}
