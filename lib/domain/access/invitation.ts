import { notFound, Refusal } from "../refusal.ts";
import { comparableEmail } from "./email.ts";
import { forbidden, type Role } from "./role.ts";

/** Statuses of an invitation. EXPIRED is not stored; it follows from the time. */
export const invitationStatuses = ["PENDING", "ACCEPTED", "DECLINED", "REVOKED", "EXPIRED"] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** An invitation by e-mail to join an organization. */
export interface Invitation {
  readonly id: string;
  readonly organizationId: string;
  /** The invited address in the form of `comparableEmail`. */
  readonly email: string;
  readonly role: Role;
  readonly status: Exclude<InvitationStatus, "EXPIRED">;
  /** Id of the user who sent the invitation. */
  readonly invitedBy: string;
  readonly createdAt: string;
  /** Time of expiry, epoch milliseconds. */
  readonly expiresAt: number;
}

/** Lifetime of an invitation, in milliseconds: 7 days. */
export const invitationLifetime = 7 * 86_400_000;

/** Returns the status of an invitation at a time. @param now epoch milliseconds. */
export const statusAt = ({ status, expiresAt }: Invitation, now: number): InvitationStatus =>
  status === "PENDING" && expiresAt <= now ? "EXPIRED" : status;

/** Creates the refusal of a request that conflicts with the current state (409). */
export const conflict = (detail: string): Refusal => new Refusal({ kind: "conflict", detail });

/** Returns the reason why a member with one role cannot invite a user with another; null if the member can. */
const inviteRoleError = (actor: Role, role: Role): string | null => {
  if (actor === "MEMBER" || actor === "LABELLER") return "Members cannot invite users to the organization.";
  if (actor === "ADMIN" && role !== "MEMBER" && role !== "LABELLER")
    return "Admins can only invite users with MEMBER or LABELLER role.";
  return role === "OWNER" ? "Cannot invite a user as OWNER." : null;
};

/** Checks that a member may invite a user with a role. @throws Refusal `forbidden` with the reason. */
export const checkInviteRole = (actor: Role, role: Role): void => {
  const error = inviteRoleError(actor, role);
  if (error !== null) throw forbidden(error);
};

/**
 * True if the sender of an invitation may still invite with its role.
 *
 * @param actor null if the sender is no longer a member.
 */
export const canStillInvite = (actor: Role | null, role: Role): boolean =>
  actor !== null && inviteRoleError(actor, role) === null;

/** Returns the refusal for an invitation that does not exist or is not addressed to the caller. */
export const invitationNotFound = (): Refusal => notFound("Invitation not found.");

/** Returns the refusal for an invitation whose sender has lost the right to invite. */
export const inviterNotAllowed = (): Refusal =>
  conflict("The sender of this invitation is no longer allowed to invite users.");

/**
 * Checks that an invitation is addressed to the caller and still open.
 *
 * @param email the caller's verified address; null if there is none.
 * @throws Refusal with the reason.
 */
export const checkInvitationAnswer = (invitation: Invitation, email: string | null, now: number): void => {
  if (email === null || comparableEmail(email) !== invitation.email) {
    throw invitationNotFound();
  }
  if (invitation.status !== "PENDING") throw conflict("This invitation has already been processed.");
  if (statusAt(invitation, now) === "EXPIRED") throw conflict("This invitation has expired.");
};
