import { invalid } from "../refusal.ts";

/** Lifetime of an API key that expires, in milliseconds: 90 days. */
export const keyLifetime = 90 * 86_400_000;

/**
 * Checks that an API key can be rotated; an expired key can.
 *
 * @throws Refusal `invalid` if the key is revoked or never expires.
 */
export const checkRotation = (key: { readonly revoked: boolean; readonly expiresAt: number | null }): void => {
  const where = ["path", "key_id"];
  if (key.revoked) throw invalid(where, "Cannot rotate a revoked API key.");
  if (key.expiresAt !== null) return;
  throw invalid(
    where,
    "Only keys with an expiration can be rotated. Production keys (never expire) should be revoked and re-created instead.",
  );
};
