import * as iam from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";

/** Creates a role that lets API Gateway call exactly these functions; one role instead of a permission on each function. */
export const invokeRole = (scope: Construct, id: string, functions: readonly IFunction[]): iam.Role =>
  new iam.Role(scope, id, {
    assumedBy: new iam.ServicePrincipal("apigateway.amazonaws.com"),
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
