import { RemovalPolicy, Validations } from "aws-cdk-lib";
import { AccessLogFormat, CfnAccount, LogGroupLogDestination, type StageOptions } from "aws-cdk-lib/aws-apigateway";
import * as iam from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { gatewayPrincipal } from "./invoke-role.ts";
import type { Settings } from "../settings/settings.ts";

/** Access log format: one JSON line for each request with route, status and latency, without data of the client. */
const format = AccessLogFormat.custom(
  JSON.stringify({
    request_id: "$context.requestId",
    time: "$context.requestTimeEpoch",
    method: "$context.httpMethod",
    route: "$context.resourcePath",
    status: "$context.status",
    reply_bytes: "$context.responseLength",
    milliseconds: "$context.responseLatency",
    integration_milliseconds: "$context.integrationLatency",
    authorizer_status: "$context.authorizer.status",
    refused_as: "$context.error.responseType",
  }),
);

/**
 * Access logs of the stage, and the account-wide role that API Gateway needs to write them. The role is a setting of the
 * account and Region, so it is only created on request (`gatewayLogRole`), and stays when the stack is deleted.
 */
export class GatewayLogs extends Construct {
  /** Stage options that switch the access logs on; the stage must be deployed after `account`. */
  readonly options: StageOptions;
  /** API Gateway's account settings with the log role; absent if the account has its role already. */
  readonly account: CfnAccount | undefined;

  constructor(scope: Construct, id: string, { gatewayLogRole, logRetentionDays }: Settings) {
    super(scope, id);
    const logGroup = new LogGroup(this, "Requests", {
      retention: logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    if (gatewayLogRole !== false) {
      this.account = new CfnAccount(this, "Account", {
        cloudWatchRoleArn: gatewayLogRole === true ? this.accountRole().roleArn : gatewayLogRole,
      });
      // All APIs of the account log through this role, so it outlives the stack.
      this.account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    }
    this.options = { accessLogDestination: new LogGroupLogDestination(logGroup), accessLogFormat: format };
  }

  private accountRole(): iam.Role {
    const role = new iam.Role(this, "AccountRole", {
      assumedBy: gatewayPrincipal(),
      inlinePolicies: {
        Logs: new iam.PolicyDocument({
          statements: [
            new iam.PolicyStatement({
              actions: [
                "logs:CreateLogGroup",
                "logs:CreateLogStream",
                "logs:DescribeLogGroups",
                "logs:DescribeLogStreams",
                "logs:PutLogEvents",
                "logs:GetLogEvents",
                "logs:FilterLogEvents",
              ],
              resources: ["*"],
            }),
          ],
        }),
      },
    });
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason: "API Gateway refuses an account role that cannot write the logs of every API in the account.",
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return role;
  }
}
