import { type CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { tableNames, type TableName } from "../lib/dynamo/table.ts";

/** Name of the stack output that holds a table's name. */
export const tableOutput = (table: TableName): string => `${table[0]?.toUpperCase()}${table.slice(1)}TableName`;

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
