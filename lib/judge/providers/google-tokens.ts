import { createPrivateKey, sign } from "node:crypto";
import { boundedPost } from "./bounded-post.ts";
import { NoCredential, failureOfReply, unreachableFailure } from "./call-failure.ts";
import type { ServiceAccount } from "./google-service-account.ts";
import { countOf, fieldsOf, parseJson } from "./reply-fields.ts";

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Lifetime of the signed claim in seconds, Google's maximum. */
const lifetime = 3600;
/** Milliseconds before its expiry at which a token is replaced, so that it outlives calls in progress. */
const renewalMargin = 120_000;
const requestTimeout = 10_000;

const encodeJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signs the claim that Google exchanges for an access token (RFC 7523). */
const signAssertion = (account: ServiceAccount, at: number): string => {
  const issued = Math.floor(at / 1000);
  const head = encodeJson({ alg: "RS256", typ: "JWT", kid: account.private_key_id });
  const claims = encodeJson({
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
  const body = new URLSearchParams({ grant_type: grant, assertion: signAssertion(account, at) });
  let response: Awaited<ReturnType<typeof boundedPost>>;
  try {
    response = await boundedPost({
      url: new URL(account.token_uri),
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: body.toString(),
      signal: AbortSignal.timeout(requestTimeout),
    });
  } catch {
    throw new NoCredential(unreachableFailure);
  }
  const reply = fieldsOf(parseJson(response.text));
  const { access_token: token, expires_in: seconds } = reply;
  if (response.status === 200 && typeof token === "string" && /^[\u0021-\u007e]+$/u.test(token))
    return { token, until: at + countOf(seconds) * 1000 - renewalMargin };
  // Google answers 400 (`invalid_grant`) to a deleted key: it is a wrong credential, not a bad request.
  const status = response.status >= 500 || response.status === 429 ? response.status : 401;
  throw new NoCredential(failureOfReply(status, response.headers, reply, now()));
};

/** Returns a function that gets a service account's access token, requesting a new one shortly before the old one expires. */
export const googleTokens = (account: ServiceAccount, now: () => number): (() => Promise<string>) => {
  let current: Promise<{ token: string; until: number }> | null = null;
  let until = 0;
  return async () => {
    if (current === null || now() >= until) {
      until = Number.POSITIVE_INFINITY;
      current = request(account, now);
      current.then(
        (token) => (until = token.until),
        () => (current = null),
      );
    }
    return (await current).token;
  };
};
