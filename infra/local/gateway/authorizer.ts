import type { Functions } from "../lambda/functions.ts";
import { arn } from "../template/arn.ts";
import type { AuthorizerDefinition } from "./api-definition.ts";
import { GatewayFault } from "./gateway-response.ts";
import { isAllowedByPolicy, type Statement } from "./policy.ts";
import { type GatewayRequest, requestContext, requestEvent } from "./proxy-event.ts";

/** The authorizer's reply for an allowed request. */
export interface Authorization {
  /** Content of `requestContext.authorizer`; API Gateway converts all values to text. */
  readonly context: Readonly<Record<string, string>>;
  readonly usageKey: string | undefined;
}

interface AuthorizerReply {
  readonly principalId?: unknown;
  readonly policyDocument?: { readonly Statement?: Statement | readonly Statement[] };
  readonly context?: Readonly<Record<string, unknown>>;
  readonly usageIdentifierKey?: string;
}

/** Extracts the function's ARN from the URI of an integration or authorizer. @throws GatewayFault when the URI has none. */
export const functionArn = (uri: string | undefined): string => {
  const lambdaArn = /\/functions\/(arn:[^/]+)\//.exec(uri ?? "")?.[1];
  if (lambdaArn === undefined) throw new GatewayFault("API_CONFIGURATION_ERROR");
  return lambdaArn;
};

const hasIdentity = (source: string | undefined, event: ReturnType<typeof requestEvent>): boolean =>
  (source ?? "")
    .split(",")
    .map((part) => /^method\.request\.(header|querystring)\.(.+)$/.exec(part.trim()))
    .every((match) => {
      if (match === null) return true;
      const [, kind, name = ""] = match;
      const values = kind === "header" ? event.headers : (event.queryStringParameters ?? {});
      return Object.entries(values).some(([key, value]) => key.toLowerCase() === name.toLowerCase() && value !== "");
    });

const contextOf = (reply: AuthorizerReply): Record<string, string> => {
  const values = Object.entries(reply.context ?? {}).filter(([, value]) => value !== null);
  if (values.some(([, value]) => typeof value === "object")) throw new GatewayFault("AUTHORIZER_CONFIGURATION_ERROR");
  return Object.fromEntries(values.map(([key, value]) => [key, String(value)]));
};

/**
 * Authorizes a request with a REQUEST authorizer.
 *
 * Not supported: caching (the function is called every time, as with a time to live of 0), TOKEN and Cognito authorizers.
 *
 * @throws GatewayFault UNAUTHORIZED when an identity source is missing or the function threw exactly "Unauthorized";
 * ACCESS_DENIED with the function's context when its policy does not allow the call; AUTHORIZER_CONFIGURATION_ERROR
 * when it failed in any other way.
 */
export const authorize = async (
  functions: Functions,
  { authorizerUri, identitySource }: AuthorizerDefinition,
  request: GatewayRequest,
): Promise<Authorization> => {
  const event = requestEvent(request);
  if (!hasIdentity(identitySource, event)) throw new GatewayFault("UNAUTHORIZED");
  const { api, method, path } = request;
  const methodArn = arn("execute-api", `${api.id}/${api.stage}/${method}${path}`);
  const outcome = await functions.invoke(functionArn(authorizerUri), {
    type: "REQUEST",
    methodArn,
    ...event,
    requestContext: requestContext(request, null),
  });
  if (outcome.error !== undefined)
    throw new GatewayFault(
      outcome.error.errorMessage === "Unauthorized" ? "UNAUTHORIZED" : "AUTHORIZER_CONFIGURATION_ERROR",
    );
  const reply = JSON.parse(outcome.payload) as AuthorizerReply | null;
  const statements = reply?.policyDocument?.Statement;
  if (reply === null || typeof reply.principalId !== "string" || statements === undefined)
    throw new GatewayFault("AUTHORIZER_CONFIGURATION_ERROR");
  const context = { ...contextOf(reply), principalId: reply.principalId };
  const statementList = Array.isArray(statements) ? (statements as readonly Statement[]) : [statements as Statement];
  if (!isAllowedByPolicy(statementList, methodArn)) throw new GatewayFault("ACCESS_DENIED", context);
  return { context, usageKey: reply.usageIdentifierKey };
};
