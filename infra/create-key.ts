import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { parseArgs } from "node:util";
import { awsClient } from "../lib/aws/aws-client.ts";
import { accessStore } from "../lib/store/access/project-lookup.ts";
import { apiKeyStore } from "../lib/store/access/api-keys.ts";
import { connect } from "../lib/dynamo/database.ts";
import { deployedTables } from "./stack-outputs.ts";

const usage = `npm run create-key -- --organization NAME [--name KEY_NAME] [--stage STAGE | --table ACCESS_TABLE]
npm run create-key -- --organization-id ID [--name KEY_NAME] [--stage STAGE | --table ACCESS_TABLE]

Creates an organization (or uses the organization with that id) and prints a new API key for it, once.
Uses your AWS credentials and Region; without --table the table name is read from the stack's outputs.`;

const { values } = parseArgs({
  options: {
    organization: { type: "string" },
    "organization-id": { type: "string" },
    name: { type: "string", default: "first key" },
    stage: { type: "string", default: "dev" },
    table: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const createKey = async (): Promise<void> => {
  const { table } = values;
  const nameOf =
    table === undefined
      ? await deployedTables(awsClient(CloudFormationClient), values.stage, ["access"])
      : (): string => table;
  const database = { ...connect(), table: nameOf };
  const organizationId =
    values["organization-id"] ?? (await accessStore(database, 1).createOrganization(values.organization ?? ""));
  const { key } = await apiKeyStore(database).create(organizationId, values.name);
  console.log(
    `organization  ${organizationId}\nAPI key       ${key}\n\nThe key is not stored and cannot be shown again.`,
  );
};

if (values.help || (values.organization === undefined) === (values["organization-id"] === undefined)) {
  console.log(usage);
  process.exitCode = values.help ? 0 : 1;
} else {
  await createKey();
}
