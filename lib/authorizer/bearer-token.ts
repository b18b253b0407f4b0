import { JwtExpiredError } from "aws-jwt-verify/error";
import type { Jwk } from "aws-jwt-verify/jwk";
import { decomposeUnverifiedJwt } from "aws-jwt-verify/jwt";
import { verifyJwtSync } from "aws-jwt-verify/jwt-verifier";
import * as v from "valibot";
import { derivedUuid } from "../domain/access/identity.ts";
import type { SignedIn } from "../store/access/users.ts";
import { type KeySet, keySet } from "./key-set.ts";
import { emailIn, nameIn } from "./profile.ts";

/** How bearer tokens are verified, as set at deploy time. */
export const jwtSettings = v.object({
  issuer: v.string(),
  jwksUri: v.string(),
  audiences: v.array(v.string()),
  /** Claim that carries the audience; `aud` when absent. */
  audienceClaim: v.exactOptional(v.string()),
  /** Required value of the claim `token_use`; not looked at when absent. */
  tokenUse: v.exactOptional(v.string()),
  /** Claim that carries the user's e-mail address; `email` when absent. */
  emailClaim: v.exactOptional(v.string()),
  /** The issuer names no address that it has not verified, whatever `email_verified` says. */
  emailsVerified: v.exactOptional(v.boolean()),
});

export type JwtSettings = v.InferOutput<typeof jwtSettings>;

/** A verified token's user, or why it is refused, in words that tell nothing of the token. */
type Verification = ({ readonly kind: "user" } & SignedIn) | { readonly kind: "refused"; readonly detail: string };

export type VerifyBearer = (token: string) => Promise<Verification>;

/** The gateway takes headers of 10,240 bytes together. */
const maxTokenLength = 8192;

/** A key that lives longer is no session's. */
const maxLifetimeSeconds = 90 * 86_400;

/** Clocks differ. `exp` is exact all the same; `nbf` is the library's to check. */
const leewaySeconds = { issuedAt: 60, notBefore: 5 };

/** Beyond the year 5000 it is milliseconds or nonsense. */
const numericDate = v.pipe(v.number(), v.minValue(0), v.maxValue(100_000_000_000));

/** What a key has to be for an algorithm. Neither `none` nor a symmetric algorithm is among them. */
const algorithms = {
  RS256: { kty: "RSA" },
  RS384: { kty: "RSA" },
  RS512: { kty: "RSA" },
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  ES512: { kty: "EC", crv: "P-521" },
} as const satisfies Readonly<Record<string, { readonly kty: string; readonly crv?: string }>>;

const isAlgorithm = (alg: string): alg is keyof typeof algorithms => Object.hasOwn(algorithms, alg);

/** Types of an access or identity token; a logout token or a proof of possession of the same issuer is none. */
const types = new Set(["jwt", "at+jwt", "application/jwt", "application/at+jwt"]);

/** A token that brings its own key, wants more understood than we do, or holds another token is none of ours. */
const forbidden = ["crit", "jwk", "jku", "x5c", "x5u", "cty", "enc", "zip", "b64"];

const header = v.pipe(
  v.looseObject({
    alg: v.pipe(v.string(), v.guard(isAlgorithm)),
    kid: v.pipe(v.string(), v.minLength(1), v.maxLength(1024)),
    typ: v.exactOptional(
      v.pipe(
        v.string(),
        v.check((typ) => types.has(typ.toLowerCase())),
      ),
    ),
  }),
  v.check((given) => forbidden.every((name) => !Object.hasOwn(given, name))),
);

const claimsOf = (settings: JwtSettings) =>
  v.pipe(
    v.looseObject({
      iss: v.literal(settings.issuer),
      sub: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
      exp: numericDate,
      iat: v.exactOptional(numericDate),
      nbf: v.exactOptional(numericDate),
    }),
    v.check(({ [settings.audienceClaim ?? "aud"]: audience }) => {
      const named: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
      return named.some((one) => typeof one === "string" && settings.audiences.includes(one));
    }),
    v.check(({ token_use: use }) => settings.tokenUse === undefined || use === settings.tokenUse),
  );

const refused = (detail: string): Verification => ({ kind: "refused", detail });

const invalid = refused("Invalid token.");
const expired = refused("Token has expired.");
const unavailable = refused("The token could not be verified at the moment. Try again.");

/** Three parts, each the one way to write its bytes: a changed character is a changed token. */
const isCanonical = (token: string): boolean => {
  const parts = token.split(".");
  return (
    parts.length === 3 &&
    parts.every((part) => part !== "" && Buffer.from(part, "base64url").toString("base64url") === part)
  );
};

const fits = (alg: keyof typeof algorithms, key: Jwk): boolean => {
  const wanted: { readonly kty: string; readonly crv?: string } = algorithms[alg];
  return key.kty === wanted.kty && (wanted.crv === undefined || key.crv === wanted.crv);
};

/** A user's id follows from issuer and subject: no two issuers' subjects are the same user. */
export const userIdOf = (issuer: string, subject: string): string => derivedUuid("user", issuer, subject);

/**
 * Verifies tokens of one issuer: form, header, issuer, audience, subject, then the signature by the issuer's key of that
 * id, then the times. Never throws; what it says holds nothing of the token.
 *
 * @param keys where the issuer's keys come from; its key set's address is the only one that is ever asked.
 */
export const bearerVerifier = (
  settings: JwtSettings,
  now: () => number = Date.now,
  keys: KeySet = keySet(settings.jwksUri, now),
): VerifyBearer => {
  const claims = claimsOf(settings);

  const decompose = (token: string) => {
    const { header: sentHeader, payload } = decomposeUnverifiedJwt(token);
    return { ...v.parse(header, sentHeader), claims: v.parse(claims, payload) };
  };

  const timesFlaw = ({ exp, iat }: v.InferOutput<typeof claims>): Verification | null => {
    const seconds = now() / 1000;
    if (exp <= seconds) return expired;
    if (iat !== undefined && iat > seconds + leewaySeconds.issuedAt) return invalid;
    return exp - (iat ?? seconds) > maxLifetimeSeconds ? invalid : null;
  };

  return async (token) => {
    if (token.length > maxTokenLength || !isCanonical(token)) return invalid;
    try {
      const { alg, kid, claims } = decompose(token);
      const key = await keys.find(kid);
      if (key === "unavailable") return unavailable;
      if (key === "unknown" || !fits(alg, key)) return invalid;
      const { issuer } = settings;
      verifyJwtSync(token, key, { issuer, audience: null, graceSeconds: leewaySeconds.notBefore });
      const flaw = timesFlaw(claims);
      if (flaw !== null) return flaw;
      return {
        kind: "user",
        userId: userIdOf(issuer, claims.sub),
        email: emailIn(claims, settings.emailClaim, settings.emailsVerified),
        displayName: nameIn(claims),
      };
    } catch (error) {
      return error instanceof JwtExpiredError ? expired : invalid;
    }
  };
};
