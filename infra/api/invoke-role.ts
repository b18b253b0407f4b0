import { Aws } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";

/**
 * API Gateway on behalf of this account only. `IfExists`: the gateway has been seen to assume the role of an integration without
 * saying for which account, and a plain condition would then fail every request.
 */
export const gatewayPrincipal = (): iam.ServicePrincipal =>
  new iam.ServicePrincipal("apigateway.amazonaws.com", {
    conditions: { StringEqualsIfExists: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
  });

/** Creates a role that lets API Gateway call exactly these functions; one role instead of a permission on each function. */
export const invokeRole = (scope: Construct, id: string, functions: readonly IFunction[]): iam.Role =>
  new iam.Role(scope, id, {
    assumedBy: gatewayPrincipal(),
    inlinePolicies: {
      Invoke: new iam.PolicyDocument({
        statements: [
          new iam.PolicyStatement({
            actions: ["lambda:InvokeFunction"],
            resources: functions.map(({ functionArn }) => functionArn),
          }),
        ],
      }),
    },
  });
