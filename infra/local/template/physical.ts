import { arn } from "./arn.ts";
import type { Resource } from "./template.ts";

/** What `Ref` gives for a resource and what `Fn::GetAtt` gives for its attributes. */
export interface Physical {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const described = (ref: string, attributes: Record<string, string> = {}): Physical => ({ ref, attributes });

const withArn =
  (service: string, prefix: string) =>
  (name: string): Physical =>
    described(name, { Arn: arn(service, `${prefix}${name}`), Name: name });

const describe: Readonly<Record<string, (name: string) => Physical>> = {
  "AWS::DynamoDB::Table": withArn("dynamodb", "table/"),
  "AWS::DynamoDB::GlobalTable": withArn("dynamodb", "table/"),
  "AWS::Lambda::Function": withArn("lambda", "function:"),
  "AWS::Lambda::Version": (name) => described(arn("lambda", `function:${name}`)),
  "AWS::Scheduler::ScheduleGroup": withArn("scheduler", "schedule-group/"),
  "AWS::Scheduler::Schedule": withArn("scheduler", "schedule/default/"),
  "AWS::IAM::Role": withArn("iam", "role/"),
  "AWS::Logs::LogGroup": withArn("logs", "log-group:"),
  "AWS::CloudWatch::Alarm": withArn("cloudwatch", "alarm:"),
  "AWS::SNS::Topic": (name) => described(arn("sns", name), { TopicArn: arn("sns", name), TopicName: name }),
  "AWS::ApiGateway::RestApi": (name) => described(name, { RestApiId: name, RootResourceId: `${name}-root` }),
  "AWS::ApiGateway::ApiKey": (name) => described(name, { APIKeyId: name }),
  "AWS::ApiGateway::UsagePlan": (name) => described(name, { Id: name }),
  "AWS::ApiGateway::Deployment": (name) => described(name, { DeploymentId: name }),
};

/** The property in which a resource of each type may carry a name chosen by the stack. */
const nameProperties = ["TableName", "FunctionName", "QueueName", "StageName", "RoleName", "LogGroupName", "Name"];

/** Names the stack chose for itself, as plain text or something that resolves to it. */
export const givenName = (resource: Resource): unknown => {
  for (const property of nameProperties) {
    const name = resource.Properties?.[property];
    if (name !== undefined) return name;
  }
  return undefined;
};

/**
 * The identity of a resource that no running service has described.
 *
 * The name comes from the logical id, so that the data of one start is found again by the next.
 */
export const physicalOf = (type: string, name: string): Physical =>
  (describe[type] ?? ((name) => described(name, { Arn: arn(type.split("::")[1]?.toLowerCase() ?? "aws", name) })))(
    name,
  );
