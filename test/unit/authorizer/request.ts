import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";

const methodArn = "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/traces";

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A request as API Gateway passes it to the authorizer. */
export const authorizerEvent = (
  headers: Headers,
  [httpMethod, resource] = ["GET", "/traces"],
): APIGatewayRequestAuthorizerEvent => {
  const lists = Object.entries(headers).map(([name, value]) => [name, [value].flat()] as const);
  return {
    type: "REQUEST",
    methodArn,
    resource,
    path: resource,
    httpMethod,
    headers: Object.fromEntries(lists.map(([name, values]) => [name, values.at(-1) ?? ""])),
    multiValueHeaders: Object.fromEntries(lists),
    pathParameters: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    requestContext: {} as APIGatewayRequestAuthorizerEvent["requestContext"],
  };
};

/** The authorizer's result for a refused caller. */
export const denial = (detail: string): APIGatewayAuthorizerResult => ({
  principalId: "nobody",
  policyDocument: {
    Version: "2012-10-17",
    Statement: [{ Action: "execute-api:Invoke", Effect: "Deny", Resource: methodArn }],
  },
  context: { detail },
});

/** The authorizer's result for an admitted caller. */
export const admission = (principalId: string, context: Readonly<Record<string, string>>) => ({
  principalId,
  policyDocument: {
    Version: "2012-10-17",
    Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: methodArn }],
  },
  context,
  usageIdentifierKey: "shared",
});

/** A sign-in that does nothing, for tests of access only. */
export const noSignIn = async (): Promise<void> => undefined;

export const sharedKey = async (): Promise<string> => "shared";
