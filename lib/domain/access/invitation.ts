import { notFound, Refusal } from "../refusal.ts";
import { comparableEmail } from "./email.ts";
import { forbidden, type Role } from "./role.ts";

/** How an invitation may stand; what was not answered in time is EXPIRED. */
export const invitationStatuses = ["PENDING", "ACCEPTED", "DECLINED", "REVOKED", "EXPIRED"] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** An invitation to an organization, by e-mail. */
export interface Invitation {
  readonly id: string;
  readonly organizationId: string;
  /** See `comparableEmail`. */
  readonly email: string;
  readonly role: Role;
  readonly status: Exclude<InvitationStatus, "EXPIRED">;
  /** The user who invites. */
  readonly invitedBy: string;
  readonly createdAt: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Milliseconds in which an invitation can be answered: 7 days. */
export const invitationLifetime = 7 * 86_400_000;

/** How an invitation stands at a time, epoch milliseconds. */
export const statusAt = ({ status, expiresAt }: Invitation, now: number): InvitationStatus =>
  status === "PENDING" && expiresAt <= now ? "EXPIRED" : status;

export const conflict = (detail: string): Refusal => new Refusal({ kind: "conflict", detail });

/** What keeps somebody from inviting as something; null when nothing does. */
const invitingFlaw = (actor: Role, invited: Role): string | null => {
  if (actor === "MEMBER") return "Members cannot invite users to the organization.";
  if (actor === "ADMIN" && invited !== "MEMBER") return "Admins can only invite users with MEMBER role.";
  return invited === "OWNER" ? "Cannot invite a user as OWNER." : null;
};

/** Checks who may invite as what. @throws Refusal `forbidden` saying what is in the way. */
export const checkInviting = (actor: Role, invited: Role): void => {
  const flaw = invitingFlaw(actor, invited);
  if (flaw !== null) throw forbidden(flaw);
};

/** Whether somebody may still invite as what was invited; null for who is no member any more. */
export const mayInvite = (actor: Role | null, invited: Role): boolean =>
  actor !== null && invitingFlaw(actor, invited) === null;

/** The refusal of an invitation that is not there for the caller. */
export const invitationNotFound = (): Refusal => notFound("Invitation not found.");

/** The refusal of an invitation by somebody who may not invite any more. */
export const withdrawn = (): Refusal => conflict("Who sent this invitation may not invite any more.");

/**
 * Checks that an invitation is the caller's to answer, and can be answered.
 *
 * @param email the caller's verified address, null when there is none.
 * @throws Refusal saying what is in the way.
 */
export const checkAnswering = (invitation: Invitation, email: string | null, now: number): void => {
  if (email === null || comparableEmail(email) !== invitation.email) {
    throw invitationNotFound();
  }
  if (invitation.status !== "PENDING") throw conflict("This invitation has already been processed.");
  if (statusAt(invitation, now) === "EXPIRED") throw conflict("This invitation has expired.");
};
