import { logLine } from "../log.ts";

/** What a token is looked at for, in this order; the first that fails is told. */
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

/** What a token said of itself before anything of it was verified; whatever it is, it may be no text. */
export interface Received {
  readonly issuer?: unknown;
  readonly audience?: unknown;
  readonly algorithm?: unknown;
  readonly keyId?: unknown;
}

/** Between two lines about the same check. */
const pauseMilliseconds = 60_000;

const longest = 200;
const mostAudiences = 5;

/** A value as a line may hold it: anybody can send anything. */
const shown = (value: unknown): string =>
  typeof value === "string" ? value.slice(0, longest) : value === undefined ? "absent" : `no text (${typeof value})`;

const shownAudience = (value: unknown): string | readonly string[] =>
  Array.isArray(value) ? value.slice(0, mostAudiences).map(shown) : shown(value);

/**
 * Says in the log which check tokens fail, at most once a minute for each check: with what a token named as its issuer, its
 * audience, its algorithm and its key, beside what is wanted. Never the token, nor who it is about.
 */
export const refusedTokens = (now: () => number) => {
  const told = new Map<TokenCheck, number>();
  return (check: TokenCheck, { issuer, audience, algorithm, keyId }: Received): void => {
    const at = now();
    if (at - (told.get(check) ?? -Infinity) < pauseMilliseconds) return;
    told.set(check, at);
    logLine("token_refused", {
      check,
      issuer: shown(issuer),
      audience: shownAudience(audience),
      alg: shown(algorithm),
      kid: shown(keyId),
    });
  };
};
