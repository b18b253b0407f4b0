import { invalid } from "../refusal.ts";

/** Milliseconds that a key with an expiry is good for: 90 days. */
export const keyLifetime = 90 * 86_400_000;

/** Checks that a key can be rotated: an expired one can. @throws Refusal `invalid` saying why not. */
export const checkRotation = (key: { readonly revoked: boolean; readonly expiresAt: number | null }): void => {
  const where = ["path", "key_id"];
  if (key.revoked) throw invalid(where, "Cannot rotate a revoked API key.");
  if (key.expiresAt !== null) return;
  throw invalid(
    where,
    "Only keys with an expiration can be rotated. Production keys (never expire) should be revoked and re-created instead.",
  );
};
