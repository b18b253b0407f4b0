import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { awsClient } from "../lib/aws/aws-client.ts";
import { comparableEmail } from "../lib/domain/access/email.ts";
import { keyAccesses, type KeyScope } from "../lib/domain/access/key-scope.ts";
import { operator } from "../lib/domain/access/principal.ts";
import { nameAdvice } from "../lib/domain/nearest-name.ts";
import { connect, type Database } from "../lib/dynamo/database.ts";
import { apiKeyStore } from "../lib/store/access/api-keys.ts";
import { memberStore } from "../lib/store/access/members.ts";
import { accessStore } from "../lib/store/access/project-lookup.ts";
import { userStore } from "../lib/store/access/users.ts";
import { expiryDays, failureSentence, parseCommandLine } from "./command-line.ts";
import { findOrganization } from "./operate/find-organization.ts";
import { lifetimeOf } from "./operate/keys.ts";
import { operatorDatabase } from "./operate/operator-database.ts";

const usage = `npm run create-key -- --organization NAME [options] [--stage STAGE | --local | --table ACCESS_TABLE]
npm run create-key -- --organization-id ID [options] [--stage STAGE | --local | --table ACCESS_TABLE]

Creates an organization (or uses the organization with that id) and prints a new API key for it, once.
Uses your AWS credentials and Region; without --table the table name is read from the stack's outputs, or with --local
from the running service of npm start.

  --name KEY_NAME     name of the key; "first key" by default
  --access ACCESS     ${keyAccesses.join(", ")}; full by default
  --project NAME      only project that the key can access; it is made if the organization has none of that name
  --expires-days N    days until the key ends; it never ends by default
  --owner EMAIL       makes a user who has signed in an owner of the organization`;

/** Projects that an organization may have for the key's project to be made. */
const maxProjects = 100_000;

/** Reads the level of access. @throws Error that names the nearest one. */
const accessOf = (text: string): KeyScope["access"] => {
  const access = keyAccesses.find((each) => each === text);
  if (access === undefined) throw new Error(`There is no access ${text}${nameAdvice(text, keyAccesses)}`);
  return access;
};

/** Finds a user by e-mail address. @throws Error unless exactly one user has signed in with it. */
const findUser = async (database: Database, email: string): Promise<string> => {
  const [id, ...others] = await userStore(database).withEmail(comparableEmail(email));
  if (id === undefined) throw new Error(`Nobody has signed in with the address ${email}.`);
  if (others.length > 0) throw new Error(`Several users have signed in with the address ${email}.`);
  return id;
};

/** Makes a user an owner of an organization, also one who is a member with another role. */
const makeOwner = async (database: Database, organizationId: string, userId: string): Promise<void> => {
  if (await accessStore(database, maxProjects).addMember(organizationId, userId, "OWNER")) return;
  const members = memberStore(database);
  const membership = await members.find(organizationId, userId);
  if (membership !== null && membership.role !== "OWNER")
    await members.changeRole(membership, "OWNER", operator.userId);
};

const main = async (): Promise<number> => {
  const { values } = parseCommandLine({
    organization: { type: "string" },
    "organization-id": { type: "string" },
    name: { type: "string", default: "first key" },
    access: { type: "string", default: "full" },
    project: { type: "string" },
    "expires-days": { type: "string" },
    owner: { type: "string" },
    stage: { type: "string", default: "dev" },
    local: { type: "boolean", default: false },
    table: { type: "string" },
    help: { type: "boolean", default: false },
  });
  const { organization: newName, "organization-id": existingId, table, owner, project } = values;
  if (values.help || (newName === undefined) === (existingId === undefined)) {
    console.log(usage);
    return values.help ? 0 : 1;
  }
  const access = accessOf(values.access);
  const days = expiryDays(values["expires-days"]);
  const database =
    table === undefined
      ? await operatorDatabase(values, awsClient(CloudFormationClient), connect(), ["access"])
      : { ...connect(), table: () => table };
  const store = accessStore(database, maxProjects);
  const ownerId = owner === undefined ? null : await findUser(database, owner);
  const organizationId =
    existingId === undefined
      ? await store.createOrganization(newName ?? "")
      : (await findOrganization(database, existingId)).id;
  if (ownerId !== null) await makeOwner(database, organizationId, ownerId);
  const projectId = project === undefined ? null : (await store.findOrCreateProject(organizationId, project)).id;
  const lifetime = days === undefined ? null : lifetimeOf(days);
  const { key } = await apiKeyStore(database).create(organizationId, values.name, lifetime, { access, projectId });
  const lines = [`organization  ${organizationId}`, ...(projectId === null ? [] : [`project       ${projectId}`])];
  console.log(`${lines.join("\n")}\nAPI key       ${key}\n\nThe key is not stored and cannot be shown again.`);
  return 0;
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(failureSentence(error));
  process.exitCode = 1;
}
