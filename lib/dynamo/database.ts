import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { awsClient } from "../aws/aws-client.ts";
import type { CallBounds } from "../aws/call-bounds.ts";
import { metered } from "./metered-client.ts";
import { tableVariable, type TableName } from "./table.ts";

/** DynamoDB client and table names used by the stores. */
export interface Database {
  readonly client: DynamoDBDocumentClient;
  /** Returns the physical name of a table. @throws Error when the function's environment does not name the table. */
  readonly table: (name: TableName) => string;
}

const physicalName = (table: TableName): string => {
  const variable = tableVariable(table);
  const name = process.env[variable];
  if (name === undefined || name === "") throw new Error(`The environment variable ${variable} is not set.`);
  return name;
};

/**
 * Connects to DynamoDB with the credentials and table names of the environment. What the connection reads and writes counts in the
 * budget of the request that it serves.
 *
 * @param bounds time-outs and attempts of each call; the defaults let a request answer 503 well before its client
 *   times out.
 */
export const connect = (bounds?: CallBounds): Database => ({
  client: metered(
    DynamoDBDocumentClient.from(awsClient(DynamoDBClient, bounds), {
      marshallOptions: { removeUndefinedValues: true },
    }),
  ),
  table: physicalName,
});
