import { JwtExpiredError, JwtNotBeforeError } from "aws-jwt-verify/error";
import type { Jwk } from "aws-jwt-verify/jwk";
import { decomposeUnverifiedJwt } from "aws-jwt-verify/jwt";
import { verifyJwtSync } from "aws-jwt-verify/jwt-verifier";
import * as v from "valibot";
import { derivedUuid } from "../domain/access/identity.ts";
import type { SignedInUser } from "../store/access/users.ts";
import { type KeySet, keySet } from "./key-set.ts";
import type { JwtSettings } from "./jwt-settings.ts";
import type { OrganizationRule } from "./organization-creators.ts";
import { verifiedEmail, displayNameIn } from "./profile.ts";
import { tokenRefusalLog, type TokenCheck } from "./token-refusals.ts";

/** User of a verified token, or the reason of its refusal. The reason contains nothing of the token. */
type Verification =
  | ({ readonly kind: "user" } & SignedInUser)
  | { readonly kind: "refused"; readonly detail: string }
  /** The issuer's keys cannot be fetched, so that the token cannot be verified. */
  | { readonly kind: "unavailable" };

export type VerifyBearer = (token: string) => Promise<Verification>;

/** Maximum token length in characters; API Gateway limits all headers together to 10,240 bytes. */
const maxTokenLength = 8192;

/** Maximum lifetime of a token; a longer lifetime does not belong to a user session. */
const maxLifetimeSeconds = 90 * 86_400;

/** Allowed clock differences for `iat` and `nbf`, in seconds; `exp` is checked exactly. */
const leewaySeconds = { issuedAt: 60, notBefore: 5 };

/** Time in epoch seconds, up to the year 5138; a larger number is probably in milliseconds. */
const numericDate = v.pipe(v.number(), v.minValue(0), v.maxValue(100_000_000_000));

/** Required key type by signature algorithm. `none` and symmetric algorithms are not supported. */
const algorithms = {
  RS256: { kty: "RSA" },
  RS384: { kty: "RSA" },
  RS512: { kty: "RSA" },
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  ES512: { kty: "EC", crv: "P-521" },
} as const satisfies Readonly<Record<string, { readonly kty: string; readonly crv?: string }>>;

const isAlgorithm = (alg: string): alg is keyof typeof algorithms => Object.hasOwn(algorithms, alg);

/** Accepted values of the header `typ`: access and identity tokens, but not logout tokens or proofs of possession. */
const types = new Set(["jwt", "at+jwt", "application/jwt", "application/at+jwt"]);

/** Header fields that cause a refusal: embedded keys, unsupported extensions and nested tokens. */
const forbiddenFields = ["crit", "jwk", "jku", "x5c", "x5u", "cty", "enc", "zip", "b64"];

/** Error of a token that fails a check; its message is the name of the check. */
class TokenFlaw extends Error {
  readonly check: TokenCheck;

  constructor(check: TokenCheck) {
    super(check);
    this.check = check;
  }
}

const requireThat = (check: TokenCheck, condition: boolean): void => {
  if (!condition) throw new TokenFlaw(check);
};

const claimText = (check: TokenCheck, value: unknown, maxLength: number): string => {
  if (typeof value !== "string" || value === "" || value.length > maxLength) throw new TokenFlaw(check);
  return value;
};

type Fields = Readonly<Record<string, unknown>>;

/** Returns the algorithm and the key id in a token header. @throws TokenFlaw */
const readHeader = (header: Fields) => {
  const { alg, kid, typ } = header;
  if (typeof alg !== "string" || !isAlgorithm(alg)) throw new TokenFlaw("algorithm");
  const keyId = claimText("key id", kid, 1024);
  requireThat("type", typ === undefined || (typeof typ === "string" && types.has(typ.toLowerCase())));
  requireThat(
    "header",
    forbiddenFields.every((name) => !Object.hasOwn(header, name)),
  );
  return { alg, kid: keyId };
};

const audiencesOf = (claims: Fields, { audienceClaim = "aud" }: JwtSettings): readonly unknown[] => {
  const { [audienceClaim]: audience } = claims;
  return Array.isArray(audience) ? audience : [audience];
};

const times = v.object({
  exp: numericDate,
  iat: v.exactOptional(numericDate),
  nbf: v.exactOptional(numericDate),
});

/** Returns the subject and the times in the claims of a token. @throws TokenFlaw */
const readClaims = (claims: Fields, settings: JwtSettings) => {
  requireThat("issuer", claims["iss"] === settings.issuer);
  const subject = claimText("subject", claims[settings.subjectClaim ?? "sub"], 255);
  requireThat(
    "audience",
    audiencesOf(claims, settings).some(
      (audience) => typeof audience === "string" && settings.audiences.includes(audience),
    ),
  );
  requireThat("token_use", settings.tokenUse === undefined || claims["token_use"] === settings.tokenUse);
  const result = v.safeParse(times, claims);
  if (!result.success) throw new TokenFlaw("times");
  return { subject, ...result.output };
};

const refusal = (detail: string): Verification => ({ kind: "refused", detail });

const invalid = refusal("Invalid token.");
const expired = refusal("Token has expired.");
const unavailable: Verification = { kind: "unavailable" };

/** True if a token has three parts in canonical base64url, so that no two texts encode the same token. */
const isCanonical = (token: string): boolean => {
  const parts = token.split(".");
  return (
    parts.length === 3 &&
    parts.every((part) => part !== "" && Buffer.from(part, "base64url").toString("base64url") === part)
  );
};

const isKeyForAlgorithm = (alg: keyof typeof algorithms, key: Jwk): boolean => {
  const keyType: { readonly kty: string; readonly crv?: string } = algorithms[alg];
  return key.kty === keyType.kty && (keyType.crv === undefined || key.crv === keyType.crv);
};

/** Derives a user id from issuer and subject, so that equal subjects of two issuers are different users. */
export const deriveUserId = (issuer: string, subject: string): string => derivedUuid("user", issuer, subject);

/** Returns the failed check for an error of the token verification. */
const checkOf = (error: unknown): TokenCheck => {
  if (error instanceof TokenFlaw) return error.check;
  if (error instanceof JwtExpiredError) return "expired";
  return error instanceof JwtNotBeforeError ? "not yet valid" : "signature";
};

/** Decodes header and claims of a token without verification; null if the token is malformed. */
const decodeUnverified = (token: string) => {
  try {
    const { header, payload } = decomposeUnverifiedJwt(token);
    return { header: header as Fields, claims: payload as Fields };
  } catch {
    return null;
  }
};

/**
 * Returns a function that verifies bearer tokens: form, header, issuer, subject, audience, signature and times. It never
 * rejects. Refusals contain nothing of the token; the failed check is logged.
 *
 * @param issuers settings of the accepted issuers, with distinct names.
 * @param keysOf function that returns the key set of an issuer; by default fetched from the configured `jwksUri` only.
 * @param canCreateOrganizations rule for users who may create organizations.
 */
export const bearerVerifier = (
  issuers: readonly JwtSettings[],
  now: () => number = Date.now,
  keysOf: (settings: JwtSettings) => KeySet = ({ jwksUri }) => keySet(jwksUri, now),
  canCreateOrganizations: OrganizationRule = () => true,
): VerifyBearer => {
  const issuersWithKeys = issuers.map((settings) => ({ settings, keys: keysOf(settings) }));
  const logRefusal = tokenRefusalLog(now);

  const checkTimes = ({ exp, iat }: v.InferOutput<typeof times>): void => {
    const seconds = now() / 1000;
    requireThat("expired", exp > seconds);
    requireThat("issued in the future", iat === undefined || iat <= seconds + leewaySeconds.issuedAt);
    requireThat("lifetime", exp - (iat ?? seconds) <= maxLifetimeSeconds);
  };

  const verify = async (token: string, header: Fields, claims: Fields): Promise<Verification> => {
    const { alg, kid } = readHeader(header);
    const issuer = issuersWithKeys.find(({ settings }) => settings.issuer === claims["iss"]);
    if (issuer === undefined) throw new TokenFlaw("issuer");
    const { settings, keys } = issuer;
    const { subject, ...dates } = readClaims(claims, settings);
    const key = await keys.find(kid);
    if (key === "unavailable") return unavailable;
    if (key === "unknown" || !isKeyForAlgorithm(alg, key)) throw new TokenFlaw("key");
    verifyJwtSync(token, key, { issuer: settings.issuer, audience: null, graceSeconds: leewaySeconds.notBefore });
    checkTimes(dates);
    const email = verifiedEmail(claims, settings);
    const user: SignedInUser = {
      userId: deriveUserId(settings.issuer, subject),
      email,
      displayName: displayNameIn(claims),
      ...(!canCreateOrganizations(claims, email) && { canCreateOrganizations: false }),
    };
    return { kind: "user", ...user };
  };

  return async (token) => {
    const parts = token.length > maxTokenLength || !isCanonical(token) ? null : decodeUnverified(token);
    if (parts === null) {
      logRefusal("form", {});
      return invalid;
    }
    const { header, claims } = parts;
    try {
      return await verify(token, header, claims);
    } catch (error) {
      const check = checkOf(error);
      const claim =
        issuersWithKeys.find(({ settings }) => settings.issuer === claims["iss"])?.settings.audienceClaim ?? "aud";
      logRefusal(check, {
        issuer: claims["iss"],
        audience: claims[claim],
        algorithm: header["alg"],
        keyId: header["kid"],
      });
      return check === "expired" ? expired : invalid;
    }
  };
};
