import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from "@aws-sdk/client-cloudformation";
import { tableNames, type TableName } from "../lib/dynamo/table.ts";
import { tableOutput } from "./table-reference.ts";

/** Reads the outputs of a deployed stage's stack. */
export const stackOutputs = async (
  client: CloudFormationClient,
  stage: string,
): Promise<ReadonlyMap<string, string>> => {
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: `assay-${stage}` }));
  const outputs = Stacks?.[0]?.Outputs ?? [];
  return new Map(outputs.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]));
};

/** Reads the table names of a deployed stage from the outputs of its stack. @throws Error when an output is missing. */
export const deployedTables = async (
  client: CloudFormationClient,
  stage: string,
  tables: readonly TableName[] = tableNames,
): Promise<(table: TableName) => string> => {
  const outputs = await stackOutputs(client, stage);
  const nameOf = (table: TableName): string => {
    const name = outputs.get(tableOutput(table));
    if (name === undefined) throw new Error(`The stack assay-${stage} has no output ${tableOutput(table)}.`);
    return name;
  };
  tables.forEach(nameOf);
  return nameOf;
};

/** Reads the resources of a type of a deployed stage's stack: logical ids by physical ones. */
export const stackResources = async (
  client: CloudFormationClient,
  stage: string,
  type: string,
): Promise<ReadonlyMap<string, string>> => {
  const ids = new Map<string, string>();
  const pages = paginateListStackResources({ client }, { StackName: `assay-${stage}` });
  for await (const { StackResourceSummaries = [] } of pages)
    for (const { ResourceType, LogicalResourceId = "", PhysicalResourceId = "" } of StackResourceSummaries)
      if (ResourceType === type) ids.set(PhysicalResourceId, LogicalResourceId);
  return ids;
};
