import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { type Credential, credentialIn } from "../domain/access/credential.ts";
import { isManagement } from "../domain/access/management.ts";
import type { Principal } from "../domain/access/principal.ts";
import { contextOf, type Verified } from "../http/principal-context.ts";
import { faultFields, logLine } from "../log.ts";
import type { ApiKeys } from "../store/access/api-keys.ts";
import type { SignedIn } from "../store/access/users.ts";
import type { VerifyBearer } from "./bearer-token.ts";
import { keyVerifier } from "./verify-key.ts";

type Decision =
  | (Extract<Verified, { kind: "key" }> & { readonly noted: Promise<void> })
  | Extract<Verified, { kind: "user" }>
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "unavailable" };

class IssuerUnavailable extends Error {
  override readonly name = "IssuerUnavailable";
}

const refused = (detail: string): Decision => ({ kind: "refused", detail });

/** The different values a header was sent with, names in any case; an empty one counts as not sent. */
const headerValues = (event: APIGatewayRequestAuthorizerEvent, name: string): readonly string[] => {
  const sent = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, values]) => values ?? []);
  return [...new Set(sent)].filter((value) => value.trim() !== "");
};

const missingCredentials =
  "Missing credentials. Provide Authorization: Bearer <token> (with X-Project-ID) or X-API-Key (with X-Project-Name).";
const missingToken = "Bearer token required. Provide Authorization: Bearer <token>.";

const policy = (effect: "Allow" | "Deny", resource: string) => ({
  Version: "2012-10-17",
  Statement: [{ Action: "execute-api:Invoke", Effect: effect, Resource: resource }],
});

/**
 * The gateway's authorizer. It verifies who is asking, and signs users in; project and role are the handler's to resolve.
 *
 * An API key, when one is sent, decides alone where keys are credentials, in its own header before the other; on management routes it
 * is not looked at. A bad
 * credential is denied with its reason, never thrown: a thrown error counts as a failure of ours, raises the alarm, and is answered
 * 503 by the gateway. That is what becomes of a token that cannot be verified because its issuer is down.
 *
 * @param verify null where bearer tokens are not set up.
 * @param usageKey gateway key of the usage plan that meters a caller.
 * @param signIn makes a user known, unless the request is the one that removes them.
 */
export const authorizer = (
  keys: ApiKeys,
  verify: VerifyBearer | null,
  usageKey: (principal: Principal) => Promise<string>,
  signIn: (user: SignedIn, event: APIGatewayRequestAuthorizerEvent) => Promise<void>,
  now: () => number = Date.now,
) => {
  const verifyKey = keyVerifier(keys, now);

  const byKey = async (value: string, others: number): Promise<Decision> =>
    others > 0 ? refused("Invalid or revoked API key.") : verifyKey(value);

  const byToken = async (token: string): Promise<Decision> =>
    verify === null ? refused("Bearer tokens are not accepted by this deployment.") : verify(token);

  const authorizationOf = (event: APIGatewayRequestAuthorizerEvent): Credential | null => {
    const [value = "", ...others] = headerValues(event, "authorization");
    return others.length > 0 ? null : credentialIn(value);
  };

  const decide = async (event: APIGatewayRequestAuthorizerEvent): Promise<Decision> => {
    const sent = authorizationOf(event);
    if (isManagement(event.resource)) return sent?.kind === "token" ? byToken(sent.token) : refused(missingToken);
    const [key, ...otherKeys] = headerValues(event, "x-api-key");
    if (key !== undefined) return byKey(key, otherKeys.length);
    if (sent === null) return refused(missingCredentials);
    return sent.kind === "key" ? verifyKey(sent.key) : byToken(sent.token);
  };

  return async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    try {
      const decision = await decide(event);
      if (decision.kind === "unavailable") throw new IssuerUnavailable("The keys of a token's issuer cannot be had.");
      if (decision.kind === "refused") {
        return {
          principalId: "nobody",
          policyDocument: policy("Deny", event.methodArn),
          context: { detail: decision.detail },
        };
      }
      const arrival = decision.kind === "key" ? decision.noted : signIn(decision, event);
      const [usageIdentifierKey] = await Promise.all([usageKey(decision), arrival]);
      return {
        principalId: decision.kind === "key" ? decision.keyId : decision.userId,
        policyDocument: policy("Allow", event.methodArn),
        context: contextOf(decision),
        usageIdentifierKey,
      };
    } catch (error) {
      logLine("authorization_failed", faultFields(error));
      throw error;
    }
  };
};
