/** OpenID Connect issuer for sign-ins, as the service configures it in a meta element of the page. */
export interface Issuer {
  /** Issuer URL, equal to the `iss` claim of its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  /** Accepted audiences: a token must have one of these in `audienceClaim`. */
  readonly audiences: readonly string[];
  /** Claim with the audience; default `aud`. */
  readonly audienceClaim?: string;
  /** Required value of the claim `token_use`; not checked if absent. */
  readonly tokenUse?: string;
}

const isIssuer = (value: unknown): value is Issuer =>
  typeof value === "object" && value !== null && "issuer" in value && "clientId" in value && "audiences" in value;

const readIssuers = (): readonly Issuer[] => {
  const text = document.querySelector<HTMLMetaElement>('meta[name="issuers"]')?.content ?? "[]";
  const values: unknown = JSON.parse(text);
  return Array.isArray(values) ? values.filter(isIssuer) : [];
};

/** Issuers of this service; empty if it accepts API keys only. */
export const issuers = readIssuers();

/** Decodes the claims of a JWT without verifying it, which is the service's task; null if it is not a JWT. */
export const claimsOf = (token: string): Readonly<Record<string, unknown>> | null => {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null ? { ...claims } : null;
  } catch {
    return null;
  }
};

/** True if the unverified claims of a token have an accepted audience and token use. */
export const isAcceptedToken = (
  token: unknown,
  { audiences, audienceClaim = "aud", tokenUse }: Issuer,
): token is string => {
  const claims = typeof token === "string" ? claimsOf(token) : null;
  if (claims === null) return false;
  const { [audienceClaim]: claim, token_use: use } = claims;
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return audiences.some((audience) => values.includes(audience)) && (tokenUse === undefined || use === tokenUse);
};
