/** An issuer by which people sign in: what the page is told of it. */
export interface Issuer {
  /** As its tokens name it, an address. */
  readonly issuer: string;
  readonly clientId: string;
  /** A token that the service takes names one of them in the claim. */
  readonly audiences: readonly string[];
  /** `aud` when absent. */
  readonly audienceClaim?: string;
  /** Required value of the claim `token_use`; not looked at when absent. */
  readonly tokenUse?: string;
}

const isIssuer = (value: unknown): value is Issuer =>
  typeof value === "object" && value !== null && "issuer" in value && "clientId" in value && "audiences" in value;

const told = (): readonly Issuer[] => {
  const text = document.querySelector<HTMLMetaElement>('meta[name="issuers"]')?.content ?? "[]";
  const all: unknown = JSON.parse(text);
  return Array.isArray(all) ? all.filter(isIssuer) : [];
};

/** Those of this service; none where it is keys only. */
export const issuers = told();

/** What a token says of itself, unverified: whether it is good is the service's to say. */
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

/** Whether the service takes the token, as far as its claims say. */
export const isTaken = (token: unknown, { audiences, audienceClaim = "aud", tokenUse }: Issuer): token is string => {
  const claims = typeof token === "string" ? claimsOf(token) : null;
  if (claims === null) return false;
  const { [audienceClaim]: named, token_use: use } = claims;
  const all: readonly unknown[] = Array.isArray(named) ? named : [named];
  return audiences.some((audience) => all.includes(audience)) && (tokenUse === undefined || use === tokenUse);
};
