import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { type Credential, credentialIn } from "../domain/access/credential.ts";
import { isManagementPath } from "../domain/access/management.ts";
import type { Principal } from "../domain/access/principal.ts";
import { contextOfCaller, type VerifiedCaller } from "../http/guards/principal-context.ts";
import { faultFields, logLine } from "../log.ts";
import type { ApiKeys } from "../store/access/api-keys.ts";
import type { SignedInUser } from "../store/access/users.ts";
import type { VerifyBearer } from "./bearer-token.ts";
import { keyVerifier } from "./verify-key.ts";

type Decision =
  | (Extract<VerifiedCaller, { kind: "key" }> & { readonly useRecorded: Promise<void> })
  | Extract<VerifiedCaller, { kind: "user" }>
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "unavailable" };

class IssuerUnavailable extends Error {
  override readonly name = "IssuerUnavailable";
}

const refusal = (detail: string): Decision => ({ kind: "refused", detail });

/** Returns the distinct non-empty values of a request header. @param name header name in lower case. */
const headerValues = (event: APIGatewayRequestAuthorizerEvent, name: string): readonly string[] => {
  const values = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, headerItems]) => headerItems ?? []);
  return [...new Set(values)].filter((value) => value.trim() !== "");
};

const missingCredentials =
  "Missing credentials. Provide Authorization: Bearer <token> (with X-Project-ID) or X-API-Key (with X-Project-Name).";
const missingToken = "Bearer token required. Provide Authorization: Bearer <token>.";

const policy = (effect: "Allow" | "Deny", resource: string) => ({
  Version: "2012-10-17",
  Statement: [{ Action: "execute-api:Invoke", Effect: effect, Resource: resource }],
});

/**
 * Returns the Lambda authorizer of the API. It verifies API keys and bearer tokens and records sign-ins; project and role are
 * checked by the handlers. `X-API-Key` takes precedence over `Authorization`; management routes accept only bearer tokens.
 *
 * A bad credential is denied with a reason and never thrown: API Gateway answers a thrown error with 503, and it raises an
 * alarm. The authorizer throws only when the credential cannot be verified, for example because the issuer is unavailable.
 *
 * @param verify verification of bearer tokens; null if they are not configured.
 * @param usageKey function that returns the API Gateway key under which a caller is metered.
 * @param signIn function that records a user's sign-in.
 */
export const authorizer = (
  keys: ApiKeys,
  verify: VerifyBearer | null,
  usageKey: (principal: Principal) => Promise<string>,
  signIn: (user: SignedInUser, event: APIGatewayRequestAuthorizerEvent) => Promise<void>,
  now: () => number = Date.now,
) => {
  const verifyKey = keyVerifier(keys, now);

  const byKey = async (value: string, otherKeyCount: number): Promise<Decision> =>
    otherKeyCount > 0 ? refusal("Invalid or revoked API key.") : verifyKey(value);

  const byToken = async (token: string): Promise<Decision> =>
    verify === null ? refusal("Bearer tokens are not accepted by this deployment.") : verify(token);

  const authorizationOf = (event: APIGatewayRequestAuthorizerEvent): Credential | null => {
    const [value = "", ...otherValues] = headerValues(event, "authorization");
    return otherValues.length > 0 ? null : credentialIn(value);
  };

  const decide = async (event: APIGatewayRequestAuthorizerEvent): Promise<Decision> => {
    const credential = authorizationOf(event);
    if (isManagementPath(event.resource))
      return credential?.kind === "token" ? byToken(credential.token) : refusal(missingToken);
    const [key, ...otherKeys] = headerValues(event, "x-api-key");
    if (key !== undefined) return byKey(key, otherKeys.length);
    if (credential === null) return refusal(missingCredentials);
    return credential.kind === "key" ? verifyKey(credential.key) : byToken(credential.token);
  };

  return async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    try {
      const decision = await decide(event);
      if (decision.kind === "unavailable")
        throw new IssuerUnavailable("The keys of the token's issuer cannot be fetched.");
      if (decision.kind === "refused") {
        return {
          principalId: "nobody",
          policyDocument: policy("Deny", event.methodArn),
          context: { detail: decision.detail },
        };
      }
      const arrival = decision.kind === "key" ? decision.useRecorded : signIn(decision, event);
      const [usageIdentifierKey] = await Promise.all([usageKey(decision), arrival]);
      return {
        principalId: decision.kind === "key" ? decision.keyId : decision.userId,
        policyDocument: policy("Allow", event.methodArn),
        context: contextOfCaller(decision),
        usageIdentifierKey,
      };
    } catch (error) {
      logLine("authorization_failed", faultFields(error));
      throw error;
    }
  };
};
