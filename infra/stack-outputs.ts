import { type CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { tableNames, type TableName } from "../lib/dynamo/table.ts";
import { tableOutput } from "./table-reference.ts";

/** Reads the table names of a deployed stage from the outputs of its stack. @throws Error when an output is missing. */
export const deployedTables = async (
  client: CloudFormationClient,
  stage: string,
  tables: readonly TableName[] = tableNames,
): Promise<(table: TableName) => string> => {
  const StackName = `assay-${stage}`;
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
  const outputs = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const nameOf = (table: TableName): string => {
    const name = outputs.get(tableOutput(table));
    if (name === undefined) throw new Error(`The stack ${StackName} has no output ${tableOutput(table)}.`);
    return name;
  };
  tables.forEach(nameOf);
  return nameOf;
};
