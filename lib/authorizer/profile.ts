type Claims = Readonly<Record<string, unknown>>;

/** The longest address there is (RFC 3696, errata 1690). */
const maxEmailLength = 320;
const maxNameLength = 255;

/** A user's e-mail address; null when the token has none of sane form, or says that it is not verified. */
export const emailIn = (claims: Claims, claim = "email"): string | null => {
  const { [claim]: email, email_verified: verified } = claims;
  if (typeof email !== "string" || email.length > maxEmailLength) return null;
  if (verified === false || verified === "false") return null;
  return /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) ? email : null;
};

/** What a user is called, on one line; null when the token does not say. */
export const nameIn = ({ name }: Claims): string | null => {
  if (typeof name !== "string") return null;
  const characters = Array.from(name.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim());
  return characters.length === 0 ? null : characters.slice(0, maxNameLength).join("").trim();
};
