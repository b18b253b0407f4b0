import { logLine } from "../log.ts";

/** Checks of a bearer token, in order. The first failed check is logged. */
export type TokenCheck =
  | "form"
  | "algorithm"
  | "key id"
  | "type"
  | "header"
  | "issuer"
  | "subject"
  | "audience"
  | "token_use"
  | "times"
  | "key"
  | "signature"
  | "not yet valid"
  | "expired"
  | "issued in the future"
  | "lifetime";

/** Unverified claims and header fields of a token, of any JSON type. */
export interface TokenClaims {
  readonly issuer?: unknown;
  readonly audience?: unknown;
  readonly algorithm?: unknown;
  readonly keyId?: unknown;
}

/** Minimum time between two log lines about the same check. */
const pauseMilliseconds = 60_000;

const maxLength = 200;
const maxAudiences = 5;

/** Returns the log text of an unverified value, cut to 200 characters. */
const loggedValue = (value: unknown): string =>
  typeof value === "string" ? value.slice(0, maxLength) : value === undefined ? "absent" : `no text (${typeof value})`;

const loggedAudience = (value: unknown): string | readonly string[] =>
  Array.isArray(value) ? value.slice(0, maxAudiences).map(loggedValue) : loggedValue(value);

/**
 * Returns a function that logs which check a token has failed, at most once a minute per check, with the token's issuer,
 * audience, algorithm and key id. Neither the token nor its subject is logged.
 */
export const tokenRefusalLog = (now: () => number) => {
  const loggedAt = new Map<TokenCheck, number>();
  return (check: TokenCheck, { issuer, audience, algorithm, keyId }: TokenClaims): void => {
    const at = now();
    if (at - (loggedAt.get(check) ?? -Infinity) < pauseMilliseconds) return;
    loggedAt.set(check, at);
    logLine("token_refused", {
      check,
      issuer: loggedValue(issuer),
      audience: loggedAudience(audience),
      alg: loggedValue(algorithm),
      kid: loggedValue(keyId),
    });
  };
};
