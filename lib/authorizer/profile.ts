import type { JwtSettings } from "./jwt-settings.ts";
import { isEmailAddress } from "../domain/access/email.ts";

type Claims = Readonly<Record<string, unknown>>;

const maxNameLength = 255;

/**
 * Returns the verified e-mail address in a token's claims; null if it is absent, malformed or not verified. Only a verified
 * address may receive invitations.
 */
export const verifiedEmail = (
  claims: Claims,
  {
    emailClaim = "email",
    emailVerifiedClaim = "email_verified",
    emailsVerified = false,
  }: Pick<JwtSettings, "emailClaim" | "emailVerifiedClaim" | "emailsVerified">,
): string | null => {
  const { [emailClaim]: email, [emailVerifiedClaim]: verified } = claims;
  if (typeof email !== "string" || !isEmailAddress(email)) return null;
  return emailsVerified || verified === true || verified === "true" ? email : null;
};

/** Returns the display name in a token's claims as one line of at most 255 characters; null if absent. */
export const displayNameIn = ({ name }: Claims): string | null => {
  if (typeof name !== "string") return null;
  const characters = Array.from(name.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim());
  return characters.length === 0 ? null : characters.slice(0, maxNameLength).join("").trim();
};
