import { JwtExpiredError, JwtNotBeforeError } from "aws-jwt-verify/error";
import type { Jwk } from "aws-jwt-verify/jwk";
import { decomposeUnverifiedJwt } from "aws-jwt-verify/jwt";
import { verifyJwtSync } from "aws-jwt-verify/jwt-verifier";
import * as v from "valibot";
import { derivedUuid } from "../domain/access/identity.ts";
import type { SignedIn } from "../store/access/users.ts";
import { type KeySet, keySet } from "./key-set.ts";
import type { JwtSettings } from "./jwt-settings.ts";
import type { MayOrganize } from "./organization-creators.ts";
import { emailIn, nameIn } from "./profile.ts";
import { refusedTokens, type TokenCheck } from "./refused-tokens.ts";

/** A verified token's user, or why it is refused, in words that tell nothing of the token. */
type Verification =
  | ({ readonly kind: "user" } & SignedIn)
  | { readonly kind: "refused"; readonly detail: string }
  /** The issuer's keys cannot be had: nobody knows whether it is good. */
  | { readonly kind: "unavailable" };

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

/** A token that one check refuses. Its message is the check. */
class TokenFlaw extends Error {
  readonly check: TokenCheck;

  constructor(check: TokenCheck) {
    super(check);
    this.check = check;
  }
}

const require = (check: TokenCheck, holds: boolean): void => {
  if (!holds) throw new TokenFlaw(check);
};

const textOf = (check: TokenCheck, value: unknown, most: number): string => {
  if (typeof value !== "string" || value === "" || value.length > most) throw new TokenFlaw(check);
  return value;
};

type Fields = Readonly<Record<string, unknown>>;

/** The algorithm and the key that a header names. @throws TokenFlaw */
const readHeader = (header: Fields) => {
  const { alg, kid, typ } = header;
  if (typeof alg !== "string" || !isAlgorithm(alg)) throw new TokenFlaw("algorithm");
  const keyId = textOf("key id", kid, 1024);
  require("type", typ === undefined || (typeof typ === "string" && types.has(typ.toLowerCase())));
  require("header", forbidden.every((name) => !Object.hasOwn(header, name)));
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

/** Who a token is about, and its times. @throws TokenFlaw */
const readClaims = (claims: Fields, settings: JwtSettings) => {
  require("issuer", claims["iss"] === settings.issuer);
  const subject = textOf("subject", claims[settings.subjectClaim ?? "sub"], 255);
  require("audience", audiencesOf(claims, settings).some(
    (one) => typeof one === "string" && settings.audiences.includes(one),
  ));
  require("token_use", settings.tokenUse === undefined || claims["token_use"] === settings.tokenUse);
  const read = v.safeParse(times, claims);
  if (!read.success) throw new TokenFlaw("times");
  return { subject, ...read.output };
};

const refused = (detail: string): Verification => ({ kind: "refused", detail });

const invalid = refused("Invalid token.");
const expired = refused("Token has expired.");
const unavailable: Verification = { kind: "unavailable" };

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

/** The check that the library's refusal of a signed token means. */
const checkOf = (error: unknown): TokenCheck => {
  if (error instanceof TokenFlaw) return error.check;
  if (error instanceof JwtExpiredError) return "expired";
  return error instanceof JwtNotBeforeError ? "not yet valid" : "signature";
};

/** What a token says of itself; empty when it cannot be read. */
const unverified = (token: string) => {
  try {
    const { header, payload } = decomposeUnverifiedJwt(token);
    return { header: header as Fields, claims: payload as Fields };
  } catch {
    return null;
  }
};

/**
 * Verifies tokens of the issuers: form, header, issuer, subject, audience, then the signature by that issuer's key of that
 * id, then the times. Never throws; what it says holds nothing of the token, and the log has which check failed.
 *
 * @param issuers each by another name.
 * @param mayOrganize whether a token's user may make organizations.
 * @param keysOf where an issuer's keys come from; its key set's address is the only one that is ever asked.
 */
export const bearerVerifier = (
  issuers: readonly JwtSettings[],
  now: () => number = Date.now,
  keysOf: (settings: JwtSettings) => KeySet = ({ jwksUri }) => keySet(jwksUri, now),
  mayOrganize: MayOrganize = () => true,
): VerifyBearer => {
  const known = issuers.map((settings) => ({ settings, keys: keysOf(settings) }));
  const note = refusedTokens(now);

  const checkTimes = ({ exp, iat }: v.InferOutput<typeof times>): void => {
    const seconds = now() / 1000;
    require("expired", exp > seconds);
    require("issued in the future", iat === undefined || iat <= seconds + leewaySeconds.issuedAt);
    require("lifetime", exp - (iat ?? seconds) <= maxLifetimeSeconds);
  };

  const verify = async (token: string, header: Fields, claims: Fields): Promise<Verification> => {
    const { alg, kid } = readHeader(header);
    const issuer = known.find(({ settings }) => settings.issuer === claims["iss"]);
    if (issuer === undefined) throw new TokenFlaw("issuer");
    const { settings, keys } = issuer;
    const { subject, ...dates } = readClaims(claims, settings);
    const key = await keys.find(kid);
    if (key === "unavailable") return unavailable;
    if (key === "unknown" || !fits(alg, key)) throw new TokenFlaw("key");
    verifyJwtSync(token, key, { issuer: settings.issuer, audience: null, graceSeconds: leewaySeconds.notBefore });
    checkTimes(dates);
    const email = emailIn(claims, settings);
    return {
      kind: "user",
      userId: userIdOf(settings.issuer, subject),
      email,
      displayName: nameIn(claims),
      ...(!mayOrganize(claims, email) && { mayOrganize: false as const }),
    };
  };

  return async (token) => {
    const parts = token.length > maxTokenLength || !isCanonical(token) ? null : unverified(token);
    if (parts === null) {
      note("form", {});
      return invalid;
    }
    const { header, claims } = parts;
    try {
      return await verify(token, header, claims);
    } catch (error) {
      const check = checkOf(error);
      const claim = known.find(({ settings }) => settings.issuer === claims["iss"])?.settings.audienceClaim ?? "aud";
      note(check, { issuer: claims["iss"], audience: claims[claim], algorithm: header["alg"], keyId: header["kid"] });
      return check === "expired" ? expired : invalid;
    }
  };
};
