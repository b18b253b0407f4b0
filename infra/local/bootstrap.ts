import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { deriveUserId } from "../../lib/authorizer/bearer-token.ts";
import { accessStore } from "../../lib/store/access/project-lookup.ts";
import { apiKeyStore } from "../../lib/store/access/api-keys.ts";
import { type TableName, tableVariable } from "../../lib/dynamo/table.ts";
import { type Credentials, writeCredentials, readCredentials } from "./credentials.ts";
import { localClient } from "./host/aws-client.ts";
import { issuerName } from "./issuer.ts";

/** The database address and the table names that the bootstrap writes to. */
export interface BootstrapTarget {
  readonly dynamoDbUrl: string;
  /** Environment variables of every function; some hold the table names. */
  readonly environments: readonly Readonly<Record<string, string>>[];
}

const projectName = "default";

/** Returns the name of a table in the database; undefined if no function uses it. */
export const physicalTable = (environments: BootstrapTarget["environments"], table: TableName): string | undefined =>
  environments.map((environment) => environment[tableVariable(table)]).find(Boolean);

const tableNames =
  (environments: BootstrapTarget["environments"]) =>
  (table: TableName): string => {
    const name = physicalTable(environments, table);
    if (name === undefined) throw new Error(`No function uses the table ${table}.`);
    return name;
  };

/**
 * Returns the credentials in `credentials.json`. On the first start in a directory, creates an organization, its API key, an
 * owner and a project through the store modules that the functions use.
 */
export const bootstrap = async (
  directory: string,
  { dynamoDbUrl, environments }: BootstrapTarget,
): Promise<Credentials> => {
  const existing = readCredentials(directory);
  if (existing !== undefined) return existing;
  const client = new DynamoDBClient(localClient(dynamoDbUrl));
  const database = { client: DynamoDBDocumentClient.from(client), table: tableNames(environments) };
  const access = accessStore(database, 100_000);
  const userId = crypto.randomUUID();
  const organizationId = await access.createOrganization("Local");
  await access.addMember(organizationId, deriveUserId(issuerName, userId), "OWNER");
  const { key } = await apiKeyStore(database).create(organizationId, "local");
  const project = await access.findOrCreateProject(organizationId, projectName);
  const credentials = { organizationId, projectId: project.id, projectName, apiKey: key, userId };
  writeCredentials(directory, credentials);
  client.destroy();
  return credentials;
};
