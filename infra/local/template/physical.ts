import { arn, bucketArn } from "./arn.ts";
import type { Resource } from "./template.ts";

/** Results of `Ref` and of `Fn::GetAtt`, by attribute name, for a resource. */
export interface PhysicalResource {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const physicalResource = (ref: string, attributes: Record<string, string> = {}): PhysicalResource => ({
  ref,
  attributes,
});

const withArn =
  (service: string, prefix: string) =>
  (name: string): PhysicalResource =>
    physicalResource(name, { Arn: arn(service, `${prefix}${name}`), Name: name });

const physicalByType: Readonly<Record<string, (name: string) => PhysicalResource>> = {
  "AWS::DynamoDB::Table": withArn("dynamodb", "table/"),
  "AWS::DynamoDB::GlobalTable": withArn("dynamodb", "table/"),
  "AWS::Lambda::Function": withArn("lambda", "function:"),
  "AWS::Lambda::Version": (name) => physicalResource(arn("lambda", `function:${name}`)),
  "AWS::Scheduler::ScheduleGroup": withArn("scheduler", "schedule-group/"),
  "AWS::Scheduler::Schedule": withArn("scheduler", "schedule/default/"),
  "AWS::IAM::Role": withArn("iam", "role/"),
  "AWS::Logs::LogGroup": withArn("logs", "log-group:"),
  "AWS::CloudWatch::Alarm": withArn("cloudwatch", "alarm:"),
  "AWS::S3::Bucket": (name) => physicalResource(name, { Arn: bucketArn(name) }),
  "AWS::SNS::Topic": (name) => physicalResource(arn("sns", name), { TopicArn: arn("sns", name), TopicName: name }),
  "AWS::ApiGateway::RestApi": (name) => physicalResource(name, { RestApiId: name, RootResourceId: `${name}-root` }),
  "AWS::ApiGateway::ApiKey": (name) => physicalResource(name, { APIKeyId: name }),
  "AWS::ApiGateway::UsagePlan": (name) => physicalResource(name, { Id: name }),
  "AWS::ApiGateway::Deployment": (name) => physicalResource(name, { DeploymentId: name }),
};

/** Properties with the name of a resource, over all resource types. */
const nameProperties = ["TableName", "FunctionName", "QueueName", "StageName", "RoleName", "LogGroupName", "Name"];

/** Returns the name that the template sets for a resource: text or an intrinsic function; undefined when absent. */
export const explicitName = (resource: Resource): unknown => {
  for (const property of nameProperties) {
    const name = resource.Properties?.[property];
    if (name !== undefined) return name;
  }
  return undefined;
};

/**
 * Computes the results of `Ref` and `Fn::GetAtt` for a resource that no local service has created.
 *
 * The name is derived from the logical id, so that the data of a previous start is found again.
 */
export const physicalOf = (type: string, name: string): PhysicalResource =>
  (
    physicalByType[type] ??
    ((name) => physicalResource(name, { Arn: arn(type.split("::")[1]?.toLowerCase() ?? "aws", name) }))
  )(name);
