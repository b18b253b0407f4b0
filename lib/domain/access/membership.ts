import { notFound, Refusal } from "../refusal.ts";
import { forbidden, type FullRole, type Role } from "./role.ts";

/** The membership of a user in an organization. */
export interface Membership {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  /** Time at which the user joined. */
  readonly createdAt: string;
}

const unknownTarget = "Target user is not a member of this organization.";

/**
 * Checks that a member may change the role of another: owners may change any role except their own and those of other
 * owners.
 *
 * @param target null if the user is not a member.
 * @throws Refusal with the reason.
 */
export const checkRoleChange = (actor: FullRole, target: Membership | null, isSelf: boolean): Membership => {
  if (isSelf) throw forbidden("Cannot change your own role.");
  if (actor !== "OWNER") throw forbidden("Only owners can change member roles.");
  if (target === null) throw notFound(unknownTarget);
  if (target.role === "OWNER") throw forbidden("Cannot change the role of another owner.");
  return target;
};

/**
 * Checks that a member may remove another: owners remove anybody but owners, admins remove members and labellers,
 * and everybody may leave.
 *
 * @param target null if the user is not a member.
 * @throws Refusal with the reason.
 */
export const checkRemoval = (actor: Role, target: Membership | null, isSelf: boolean): Membership => {
  // A labeller must not learn who else is a member.
  if (actor === "LABELLER" && !isSelf) throw forbidden("Labellers cannot remove other members.");
  if (target === null) throw notFound(unknownTarget);
  if (isSelf) return target;
  if (target.role === "OWNER") throw forbidden("Cannot remove an OWNER from the organization.");
  if (actor === "MEMBER") throw forbidden("Members cannot remove other members.");
  if (actor === "ADMIN" && target.role === "ADMIN")
    throw forbidden("Admins can only remove members with MEMBER or LABELLER role.");
  return target;
};

/** Returns the refusal for the last owner of an organization, who cannot leave it. */
export const lastOwnerRefusal = (): Refusal =>
  new Refusal({
    kind: "conflict",
    detail: "The last owner cannot leave the organization. Make another member an owner, or delete the organization.",
  });

/** Returns the refusal to remove a user who owns an organization. */
export const ownerRemovalRefusal = (): Refusal =>
  new Refusal({
    kind: "conflict",
    detail: "You own an organization. Delete it, or make another member an owner and leave it, before you are removed.",
  });

/**
 * Returns the refusal for a request whose user was removed after it was authenticated; a retry creates the user
 * again.
 */
export const userRemovedRefusal = (): Refusal =>
  new Refusal({ kind: "unavailable", detail: "The user was just removed. Try again." });

/** Returns the refusal for the removal of a user that is not finished; a retry continues it. */
export const removalInProgress = (): Refusal =>
  new Refusal({
    kind: "unavailable",
    detail: "The user has not left all organizations yet. Send the same request again.",
  });
