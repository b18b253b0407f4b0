import { RemovalPolicy, Validations } from "aws-cdk-lib";
import { AccessLogFormat, CfnAccount, LogGroupLogDestination, type StageOptions } from "aws-cdk-lib/aws-apigateway";
import * as iam from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Settings } from "../settings/settings.ts";

/** One line for each request: what was called and how it ended. Nothing a client sent is in it. */
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
 * Access logs of the stage, and the account-wide role without which API Gateway writes none. The role is a setting of the
 * account and region, not of this stack, so it is only made when asked for, and stays.
 */
export class GatewayLogs extends Construct {
  /** What the stage needs; it must be deployed after `account`. */
  readonly options: StageOptions;
  /** Absent where the account has its role already. */
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
      // Every API of the account logs by it, whatever becomes of this stack.
      this.account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    }
    this.options = { accessLogDestination: new LogGroupLogDestination(logGroup), accessLogFormat: format };
  }

  private accountRole(): iam.Role {
    const role = new iam.Role(this, "AccountRole", {
      assumedBy: new iam.ServicePrincipal("apigateway.amazonaws.com"),
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
      reason: "API Gateway refuses an account role that may not write the logs of every API in the account.",
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return role;
  }
}
