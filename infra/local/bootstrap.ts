import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { join } from "node:path";
import { userIdOf } from "../../lib/authorizer/bearer-token.ts";
import { accessStore } from "../../lib/store/access/projects-of-callers.ts";
import { apiKeyStore } from "../../lib/store/access/api-keys.ts";
import { type TableName, tableVariable } from "../../lib/store/table.ts";
import { localClient } from "./host/aws-client.ts";
import { readJson, writeJson } from "./host/json-file.ts";
import { issuerName, type Issuer } from "./issuer.ts";

/** What a developer needs to call the local service. */
export interface Credentials {
  readonly organizationId: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly apiKey: string;
  readonly userId: string;
}

/** Where the bootstrap finds the tables. */
export interface Ground {
  readonly dynamoDbUrl: string;
  /** The environments of the functions, which name the tables. */
  readonly environments: readonly Readonly<Record<string, string>>[];
}

const projectName = "default";
const tokenSeconds = 30 * 86_400;

const tableNames =
  (environments: Ground["environments"]) =>
  (table: TableName): string => {
    const name = environments.map((environment) => environment[tableVariable(table)]).find(Boolean);
    if (name === undefined) throw new Error(`No function uses the table ${table}.`);
    return name;
  };

/**
 * The credentials kept in `credentials.json`, made on the first start: an organization, its key, a user who owns it and a
 * project, through the store that the functions use.
 */
export const bootstrap = async (directory: string, { dynamoDbUrl, environments }: Ground): Promise<Credentials> => {
  const path = join(directory, "credentials.json");
  const kept = readJson<Credentials>(path);
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
  writeJson(path, made);
  client.destroy();
  return made;
};

/** A bearer token for the developer, valid for 30 days. */
export const bearerToken = (issuer: Issuer, { userId }: Credentials): Promise<string> =>
  issuer.issueToken({ sub: userId, email: "developer@localhost", name: "Local Developer", ttl: tokenSeconds });
