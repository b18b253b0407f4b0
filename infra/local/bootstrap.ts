import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { userIdOf } from "../../lib/authorizer/bearer-token.ts";
import { accessStore } from "../../lib/store/access/projects-of-callers.ts";
import { apiKeyStore } from "../../lib/store/access/api-keys.ts";
import { type TableName, tableVariable } from "../../lib/store/table.ts";
import { type Credentials, keepCredentials, keptCredentials } from "./credentials.ts";
import { localClient } from "./host/aws-client.ts";
import { issuerName } from "./issuer.ts";

/** Where the bootstrap finds the tables. */
export interface BootstrapTarget {
  readonly dynamoDbUrl: string;
  /** The environments of the functions, which name the tables. */
  readonly environments: readonly Readonly<Record<string, string>>[];
}

const projectName = "default";

const tableNames =
  (environments: BootstrapTarget["environments"]) =>
  (table: TableName): string => {
    const name = environments.map((environment) => environment[tableVariable(table)]).find(Boolean);
    if (name === undefined) throw new Error(`No function uses the table ${table}.`);
    return name;
  };

/**
 * The credentials kept in `credentials.json`, made on the first start: an organization, its key, a user who owns it and a
 * project, through the store that the functions use.
 */
export const bootstrap = async (
  directory: string,
  { dynamoDbUrl, environments }: BootstrapTarget,
): Promise<Credentials> => {
  const kept = keptCredentials(directory);
  if (kept !== undefined) return kept;
  const client = new DynamoDBClient(localClient(dynamoDbUrl));
  const database = { client: DynamoDBDocumentClient.from(client), table: tableNames(environments) };
  const access = accessStore(database, 100_000);
  const userId = crypto.randomUUID();
  const organizationId = await access.createOrganization("Local");
  await access.addMember(organizationId, userIdOf(issuerName, userId), "OWNER");
  const { key } = await apiKeyStore(database).create(organizationId, "local");
  const project = await access.projectNamed(organizationId, projectName);
  const made = { organizationId, projectId: project.id, projectName, apiKey: key, userId };
  keepCredentials(directory, made);
  client.destroy();
  return made;
};
