import * as v from "valibot";

const issuer = v.object({
  issuer: v.string(),
  jwksUri: v.string(),
  audiences: v.array(v.string()),
  /** Claim that carries the audience; `aud` when absent. */
  audienceClaim: v.exactOptional(v.string()),
  /** Required value of the claim `token_use`; not checked when absent. */
  tokenUse: v.exactOptional(v.string()),
  /** Claim that identifies the user; `sub` when absent. */
  subjectClaim: v.exactOptional(v.string()),
  /** Claim that carries the user's e-mail address; `email` when absent. */
  emailClaim: v.exactOptional(v.string()),
  /** Claim that is true if the e-mail address is verified; `email_verified` when absent. */
  emailVerifiedClaim: v.exactOptional(v.string()),
  /** True if all addresses of the issuer are verified, whatever the claim contains. */
  emailsVerified: v.exactOptional(v.boolean()),
});

/** Deployment setting for the verification of one issuer's bearer tokens. */
export type JwtSettings = v.InferOutput<typeof issuer>;

/** Schema of the deployment setting `jwt`: one issuer or an array of issuers. */
export const jwtSettings = v.pipe(
  v.union([issuer, v.array(issuer)]),
  v.transform((setting): readonly JwtSettings[] => (Array.isArray(setting) ? setting : [setting])),
);
