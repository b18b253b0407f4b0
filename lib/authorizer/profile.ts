import type { JwtSettings } from "./jwt-settings.ts";
import { isAddress } from "../domain/access/email.ts";

type Claims = Readonly<Record<string, unknown>>;

const maxNameLength = 255;

/**
 * A user's e-mail address; null when the token has none that an invitation could be sent to, or does not say that it is
 * verified: whoever names an address sees what was sent to it.
 */
export const emailIn = (
  claims: Claims,
  {
    emailClaim = "email",
    emailVerifiedClaim = "email_verified",
    emailsVerified = false,
  }: Pick<JwtSettings, "emailClaim" | "emailVerifiedClaim" | "emailsVerified">,
): string | null => {
  const { [emailClaim]: email, [emailVerifiedClaim]: verified } = claims;
  if (typeof email !== "string" || !isAddress(email)) return null;
  return emailsVerified || verified === true || verified === "true" ? email : null;
};

/** What a user is called, on one line; null when the token does not say. */
export const nameIn = ({ name }: Claims): string | null => {
  if (typeof name !== "string") return null;
  const characters = Array.from(name.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim());
  return characters.length === 0 ? null : characters.slice(0, maxNameLength).join("").trim();
};
