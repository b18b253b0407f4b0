import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { awsClient } from "../aws/aws-client.ts";
import type { CallBounds } from "../aws/call-bounds.ts";
import { tableVariable, type TableName } from "./table.ts";

/** DynamoDB as the stores see it. */
export interface Database {
  readonly client: DynamoDBDocumentClient;
  /** The physical name of a table. @throws Error when this function was not granted it. */
  readonly table: (name: TableName) => string;
}

const physicalName = (table: TableName): string => {
  const variable = tableVariable(table);
  const name = process.env[variable];
  if (name === undefined || name === "") throw new Error(`The environment variable ${variable} is not set.`);
  return name;
};

/**
 * Connects to DynamoDB with the environment's credentials and tables.
 *
 * @param bounds of its calls, the usual ones when absent: a request that DynamoDB does not answer is answered 503 well
 *   before its caller gives up.
 */
export const connect = (bounds?: CallBounds): Database => ({
  client: DynamoDBDocumentClient.from(awsClient(DynamoDBClient, bounds), {
    marshallOptions: { removeUndefinedValues: true },
  }),
  table: physicalName,
});
