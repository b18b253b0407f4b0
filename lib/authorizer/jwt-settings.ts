import * as v from "valibot";

const issuer = v.object({
  issuer: v.string(),
  jwksUri: v.string(),
  audiences: v.array(v.string()),
  /** Claim that carries the audience; `aud` when absent. */
  audienceClaim: v.exactOptional(v.string()),
  /** Required value of the claim `token_use`; not looked at when absent. */
  tokenUse: v.exactOptional(v.string()),
  /** Claim that says who the user is; `sub` when absent. */
  subjectClaim: v.exactOptional(v.string()),
  /** Claim that carries the user's e-mail address; `email` when absent. */
  emailClaim: v.exactOptional(v.string()),
  /** Claim that says whether the address is verified; `email_verified` when absent. */
  emailVerifiedClaim: v.exactOptional(v.string()),
  /** The issuer names no address that it has not verified, whatever that claim says. */
  emailsVerified: v.exactOptional(v.boolean()),
});

/** How the bearer tokens of an issuer are verified, as set at deploy time. */
export type JwtSettings = v.InferOutput<typeof issuer>;

/** One issuer, or several. */
export const jwtSettings = v.pipe(
  v.union([issuer, v.array(issuer)]),
  v.transform((given): readonly JwtSettings[] => (Array.isArray(given) ? given : [given])),
);
