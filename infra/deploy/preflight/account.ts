import { APIGatewayClient, GetAccountCommand } from "@aws-sdk/client-api-gateway";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import * as v from "valibot";
import { awsClient } from "../../../lib/aws/aws-client.ts";
import { tableNames, type TableName } from "../../../lib/dynamo/table.ts";
import { deployedTables, stackResources } from "../../stack-outputs.ts";
import { signedCall } from "./signed-call.ts";

/** Questions about an AWS account and Region. Each throws AWS's error, for example if the caller may not ask. */
export interface Account {
  /** Returns the Region of the environment or the profile. */
  readonly region: () => Promise<string>;
  /** Returns the account of the credentials. */
  readonly id: () => Promise<string>;
  /** Returns the version of the CDK's bootstrap stack; null if there is none. */
  readonly bootstrapVersion: () => Promise<number | null>;
  /** Returns the concurrent executions of the account's functions, and those that no function has reserved. */
  readonly concurrency: () => Promise<{ readonly total: number; readonly unreserved: number }>;
  /** Returns the requests a second that API Gateway admits. */
  readonly requestsPerSecond: () => Promise<number>;
  readonly roles: () => Promise<{ readonly used: number; readonly quota: number }>;
  /** Returns the logical ids of the roles of a stage's stack. */
  readonly stackRoles: (stage: string) => Promise<ReadonlySet<string>>;
  /** Returns the types of SSM parameters by name, without those that do not exist. */
  readonly parameterTypes: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Returns the names of the indexes of a stage's tables. */
  readonly indexes: (stage: string) => Promise<ReadonlyMap<TableName, readonly string[]>>;
}

/** Number of names that SSM accepts in a call. */
const namesPerCall = 10;

/** Parameter with the version of the CDK's bootstrap stack, under the toolkit's default qualifier. */
const bootstrapParameter = "/cdk-bootstrap/hnb659fds/version";

const accountLimits = v.object({
  AccountLimit: v.object({ ConcurrentExecutions: v.number(), UnreservedConcurrentExecutions: v.number() }),
});

const summaryNumber = (summary: string, key: string): number => {
  const value = new RegExp(String.raw`<key>${key}</key>\s*<value>(\d+)</value>`, "u").exec(summary)?.[1];
  if (value === undefined) throw new Error(`IAM's summary has no ${key}`);
  return Number(value);
};

const xmlValue = (text: string, name: string): string => {
  const value = new RegExp(`<${name}>([^<]+)</${name}>`, "u").exec(text)?.[1];
  if (value === undefined) throw new Error(`The reply has no ${name}`);
  return value;
};

/** Creates the questions for the credentials and the Region of the environment. */
export const awsAccount = (): Account => {
  const cloudFormation = awsClient(CloudFormationClient);
  const parameters = awsClient(SSMClient);
  const region = (): Promise<string> => cloudFormation.config.region();
  const credentials = () => cloudFormation.config.credentials();
  const suffix = async (): Promise<string> =>
    (await region()).startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const call = async (name: "sts" | "lambda", request: Parameters<typeof signedCall>[1]): Promise<string> => {
    const service = { name, region: await region(), host: `${name}.${await region()}.${await suffix()}` };
    return signedCall(service, request, await credentials());
  };

  return {
    region,
    id: async () =>
      xmlValue(await call("sts", { parameters: { Action: "GetCallerIdentity", Version: "2011-06-15" } }), "Account"),
    bootstrapVersion: async () => {
      const { Parameters = [] } = await parameters.send(new GetParametersCommand({ Names: [bootstrapParameter] }));
      const version = Parameters[0]?.Value;
      return version === undefined ? null : Number(version);
    },
    concurrency: async () => {
      const reply = await call("lambda", { path: "/2016-08-19/account-settings/" });
      const { AccountLimit } = v.parse(accountLimits, JSON.parse(reply));
      return { total: AccountLimit.ConcurrentExecutions, unreserved: AccountLimit.UnreservedConcurrentExecutions };
    },
    requestsPerSecond: async () => {
      const { throttleSettings } = await awsClient(APIGatewayClient).send(new GetAccountCommand({}));
      return throttleSettings?.rateLimit ?? Infinity;
    },
    roles: async () => {
      const isChina = (await region()).startsWith("cn-");
      const service = isChina
        ? { name: "iam", region: "cn-north-1", host: "iam.cn-north-1.amazonaws.com.cn" }
        : { name: "iam", region: "us-east-1", host: "iam.amazonaws.com" };
      const request = { parameters: { Action: "GetAccountSummary", Version: "2010-05-08" } };
      const summary = await signedCall(service, request, await credentials());
      return { used: summaryNumber(summary, "Roles"), quota: summaryNumber(summary, "RolesQuota") };
    },
    stackRoles: async (stage) => new Set((await stackResources(cloudFormation, stage, "AWS::IAM::Role")).values()),
    parameterTypes: async (names) => {
      const types = new Map<string, string>();
      for (let at = 0; at < names.length; at += namesPerCall) {
        const Names = names.slice(at, at + namesPerCall);
        const { Parameters = [] } = await parameters.send(new GetParametersCommand({ Names }));
        for (const { Name = "", Type = "" } of Parameters) types.set(Name, Type);
      }
      return types;
    },
    indexes: async (stage) => {
      const nameOf = await deployedTables(cloudFormation, stage, tableNames);
      const client = awsClient(DynamoDBClient);
      const indexes = await Promise.all(
        tableNames.map(async (name) => {
          const { Table } = await client.send(new DescribeTableCommand({ TableName: nameOf(name) }));
          return [name, (Table?.GlobalSecondaryIndexes ?? []).map(({ IndexName = "" }) => IndexName)] as const;
        }),
      );
      return new Map(indexes);
    },
  };
};
