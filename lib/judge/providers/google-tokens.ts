import { createPrivateKey, sign } from "node:crypto";
import { boundedPost } from "./bounded-post.ts";
import { NoCredential, refused, unreachable } from "./call-failure.ts";
import type { ServiceAccount } from "./google-service-account.ts";
import { countOf, fieldsOf, parsed } from "./reply-fields.ts";

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Google's longest, in seconds. */
const lifetime = 3600;
/** A token is replaced this long before it ends, milliseconds: a call under way must not outlive it. */
const margin = 120_000;
const requestTimeout = 10_000;

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The signed claim that Google exchanges for a token (RFC 7523). */
const assertion = (account: ServiceAccount, at: number): string => {
  const issued = Math.floor(at / 1000);
  const head = encoded({ alg: "RS256", typ: "JWT", kid: account.private_key_id });
  const claims = encoded({
    iss: account.client_email,
    scope,
    aud: account.token_uri,
    iat: issued,
    exp: issued + lifetime,
  });
  const signature = sign("RSA-SHA256", Buffer.from(`${head}.${claims}`), createPrivateKey(account.private_key));
  return `${head}.${claims}.${signature.toString("base64url")}`;
};

const request = async (account: ServiceAccount, now: () => number): Promise<{ token: string; until: number }> => {
  const at = now();
  const body = new URLSearchParams({ grant_type: grant, assertion: assertion(account, at) });
  let response: Awaited<ReturnType<typeof boundedPost>>;
  try {
    response = await boundedPost({
      url: new URL(account.token_uri),
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: body.toString(),
      signal: AbortSignal.timeout(requestTimeout),
    });
  } catch {
    throw new NoCredential(unreachable);
  }
  const reply = fieldsOf(parsed(response.text));
  const { access_token: token, expires_in: seconds } = reply;
  if (response.status === 200 && typeof token === "string" && /^[\u0021-\u007e]+$/u.test(token))
    return { token, until: at + countOf(seconds) * 1000 - margin };
  // Google answers 400 to a key that was deleted (`invalid_grant`): the credentials are wrong, not the request.
  const status = response.status >= 500 || response.status === 429 ? response.status : 401;
  throw new NoCredential(refused(status, response.headers, reply, now()));
};

/** Access tokens of a service account, one after the other: each is used until shortly before it ends. */
export const googleTokens = (account: ServiceAccount, now: () => number): (() => Promise<string>) => {
  let current: Promise<{ token: string; until: number }> | null = null;
  let until = 0;
  return async () => {
    if (current === null || now() >= until) {
      until = Number.POSITIVE_INFINITY;
      current = request(account, now);
      current.then(
        (got) => (until = got.until),
        () => (current = null),
      );
    }
    return (await current).token;
  };
};
