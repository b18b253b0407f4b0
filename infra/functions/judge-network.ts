import { Aws } from "aws-cdk-lib";
import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import type { Settings } from "../settings/settings.ts";
import type { ServiceFunction } from "./service-function.ts";

/** Actions that Lambda needs for the network interfaces of a function in a VPC. */
const interfaceActions = [
  "CreateNetworkInterface",
  "DescribeNetworkInterfaces",
  "DescribeSubnets",
  "DeleteNetworkInterface",
  "AssignPrivateIpAddresses",
  "UnassignPrivateIpAddresses",
].map((action) => `ec2:${action}`);

/** Puts a function into the VPC of the setting `judgeNetwork`, so that it can reach models there; nothing without the setting. */
export const joinNetwork = (worker: ServiceFunction, { judgeNetwork }: Settings): void => {
  if (judgeNetwork === undefined) return;
  const resource = worker.function.node.defaultChild;
  if (!(resource instanceof CfnFunction)) throw new Error("The function has no resource of its own.");
  resource.vpcConfig = judgeNetwork;
  worker.allow(interfaceActions, "*");
  // Only calls of the function's own code have this condition key; Lambda's calls do not and stay allowed.
  worker.denyWhen(
    {
      ArnLike: { "lambda:SourceFunctionArn": `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:*` },
    },
    interfaceActions,
    "*",
  );
  worker.acknowledge({
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "Network interfaces have no ARN before they are created; the function's own code is denied these actions.",
  });
};
