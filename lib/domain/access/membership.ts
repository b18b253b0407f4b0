import { notFound, Refusal } from "../refusal.ts";
import { forbidden, type Role } from "./role.ts";

/** A user's place in an organization. */
export interface Membership {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  /** When the user joined. */
  readonly createdAt: string;
}

const unknownTarget = "Target user is not a member of this organization.";

/**
 * Checks who may change whose role: owners only, everybody's but their own and that of other owners.
 *
 * @param target null for somebody who is no member.
 * @throws Refusal saying what is in the way.
 */
export const checkRoleChange = (actor: Role, target: Membership | null, isSelf: boolean): Membership => {
  if (isSelf) throw forbidden("Cannot change your own role.");
  if (actor !== "OWNER") throw forbidden("Only owners can change member roles.");
  if (target === null) throw notFound(unknownTarget);
  if (target.role === "OWNER") throw forbidden("Cannot change the role of another owner.");
  return target;
};

/**
 * Checks who may remove whom: owners everybody but owners, admins members, and everybody themselves.
 *
 * @param target null for somebody who is no member.
 * @throws Refusal saying what is in the way.
 */
export const checkRemoval = (actor: Role, target: Membership | null, isSelf: boolean): Membership => {
  if (target === null) throw notFound(unknownTarget);
  if (isSelf) return target;
  if (target.role === "OWNER") throw forbidden("Cannot remove an OWNER from the organization.");
  if (actor === "MEMBER") throw forbidden("Members cannot remove other members.");
  if (actor === "ADMIN" && target.role !== "MEMBER")
    throw forbidden("Admins can only remove members with MEMBER role.");
  return target;
};

/** Why an owner cannot leave: there would be none. */
export const lastOwner = (): Refusal =>
  new Refusal({
    kind: "conflict",
    detail: "The last owner cannot leave the organization. Make another member an owner, or delete the organization.",
  });

/** Why somebody who owns an organization cannot be removed. */
export const stillOwner = (): Refusal =>
  new Refusal({
    kind: "conflict",
    detail: "You own an organization. Delete it, or make another member an owner and leave it, before you are removed.",
  });

/** Why a request fails whose user was removed since it was let in: the next one makes them anew. */
export const removedMeanwhile = (): Refusal =>
  new Refusal({ kind: "unavailable", detail: "The user was removed a moment ago. Try again." });

/** Why a removal has not come to its end yet. */
export const stillLeaving = (): Refusal =>
  new Refusal({ kind: "unavailable", detail: "Not all organizations are left yet. Send the same request again." });
