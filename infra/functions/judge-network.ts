import { Aws, Validations } from "aws-cdk-lib";
import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import type { Settings } from "../settings/settings.ts";
import type { ServiceFunction } from "./service-function.ts";

/** What Lambda does on behalf of a function in a VPC. */
const interfaces = [
  "CreateNetworkInterface",
  "DescribeNetworkInterfaces",
  "DescribeSubnets",
  "DeleteNetworkInterface",
  "AssignPrivateIpAddresses",
  "UnassignPrivateIpAddresses",
].map((action) => `ec2:${action}`);

/** Puts a function into the operator's VPC, from which it reaches models there. */
export const joinNetwork = (worker: ServiceFunction, { judgeNetwork }: Settings): void => {
  if (judgeNetwork === undefined) return;
  const resource = worker.function.node.defaultChild;
  if (!(resource instanceof CfnFunction)) throw new Error("The function has no resource of its own.");
  resource.vpcConfig = judgeNetwork;
  worker.allow(interfaces, "*");
  // Lambda itself calls without this key: the function's own code may do none of it.
  worker.denyWhen(
    {
      ArnLike: { "lambda:SourceFunctionArn": `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:*` },
    },
    interfaces,
    "*",
  );
  Validations.of(worker.node.findChild("Role")).acknowledge({
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "Network interfaces have no names before they are made; the function's own code is denied all of it.",
  });
};
