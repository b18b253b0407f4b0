import { resolveModel } from "../../../lib/domain/runs/model.ts";
import { tableNames, tables, type TableDefinition, type TableName } from "../../../lib/dynamo/table.ts";
import { providerEntry } from "../../../lib/judge/providers/provider-settings.ts";
import type { RunningStack } from "../../settings/running-settings.ts";
import { reservedConcurrency } from "../../settings/reserved-concurrency.ts";
import type { Settings } from "../../settings/settings.ts";
import type { PlannedStage } from "../../settings/stage-settings.ts";
import type { Account } from "./account.ts";
import { fault, type Finding, note, ok } from "./finding.ts";

/** Least version of the CDK's bootstrap stack that a deployment accepts. */
const bootstrapVersion = 6;

/** Concurrent executions that Lambda keeps for functions without reserved concurrency. */
const unreservedConcurrency = 100;

/** Most read and write units a second of one partition of a table; a partition is a shard of the table's stream. */
const partitionUnits = { readUnitsPerSecond: 3_000, writeUnitsPerSecond: 1_000 };

/** Units a second that a new table is prepared for. */
const newTableUnits = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4_000 };

/** Returns the shards of all streams, each of which has one worker at a time; a table that has grown has more. */
const streamShards = ({ warmThroughput }: Settings): number =>
  tableNames
    .filter((name) => {
      const { stream }: TableDefinition = tables[name];
      return stream === true;
    })
    .map((name) => {
      const { readUnitsPerSecond, writeUnitsPerSecond } = warmThroughput[name] ?? newTableUnits;
      const partitions = [
        readUnitsPerSecond / partitionUnits.readUnitsPerSecond,
        writeUnitsPerSecond / partitionUnits.writeUnitsPerSecond,
      ];
      return Math.ceil(Math.max(...partitions));
    })
    .reduce((sum, shards) => sum + shards, 0);

const nameOf = (error: unknown): string =>
  error instanceof Error ? (error.name === "Error" ? error.message : error.name) : String(error);

/** Asks one question; an error, for example of a caller who may not ask, becomes a note. */
const answered = async (subject: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> => {
  try {
    return await check();
  } catch (error) {
    return [note(`${subject} could not be asked (${nameOf(error)}).`)];
  }
};

/** Checks Region and credentials, without which nothing else can be asked. */
export const checkAccess = async (account: Account): Promise<readonly Finding[]> => {
  let region: string;
  try {
    region = await account.region();
  } catch {
    return [fault("There is no Region: set AWS_REGION, or name a profile that has one with --profile.")];
  }
  try {
    return [ok(`Account ${await account.id()}, Region ${region}.`)];
  } catch (error) {
    return [
      fault(
        `There are no valid AWS credentials (${nameOf(error)}): sign in, for example with aws sso login, or name another profile with --profile.`,
      ),
    ];
  }
};

const checkBootstrap = async (account: Account): Promise<readonly Finding[]> => {
  const version = await account.bootstrapVersion();
  if (version !== null && version >= bootstrapVersion) return [ok(`The CDK's bootstrap stack has version ${version}.`)];
  const problem =
    version === null ? "This account has no CDK bootstrap stack in this Region" : `The CDK's bootstrap stack is old`;
  return [fault(`${problem}: run npx cdk bootstrap aws://${await account.id()}/${await account.region()}.`)];
};

/** Checks reservations, and that work in the background leaves half of the other executions to requests. */
const checkConcurrency = async (
  account: Account,
  settings: Settings,
  running: RunningStack,
): Promise<readonly Finding[]> => {
  const { total, unreserved } = await account.concurrency();
  const reservation = reservedConcurrency(settings);
  // The deployment replaces the reservations of the running stack.
  const available =
    unreserved + (running.kind === "settings" ? reservedConcurrency(running.explicitSettings).total : 0);
  const shared = available - reservation.total;
  if (reservation.total > 0 && shared < unreservedConcurrency)
    return [
      fault(
        `The setting ${reservation.names.join(" with ")} reserves ${reservation.total} of ${available} unreserved executions, and Lambda keeps ${unreservedConcurrency}: lower it, or ask AWS for more (Lambda, "Concurrent executions").`,
      ),
    ];
  const { judgeMaxConcurrency: judges } = settings;
  const shards = streamShards(settings);
  const background = 2 * judges + shards;
  return background <= shared / 2
    ? [ok(`Lambda runs ${total} functions at a time.`)]
    : [
        note(
          `Lambda runs ${total} functions at a time in this account, ${shared} of them unreserved; ${judges} judges, as many previews and ${shards} stream workers could use ${background}, more than half, and requests then get 5xx: ask AWS for more (Lambda, "Concurrent executions"), or lower judgeMaxConcurrency.`,
        ),
      ];
};

const checkThrottle = async (account: Account, { requestsPerSecond }: Settings): Promise<readonly Finding[]> => {
  const admitted = await account.requestsPerSecond();
  return admitted >= requestsPerSecond
    ? [ok(`API Gateway admits ${admitted} requests a second.`)]
    : [
        note(
          `API Gateway admits ${admitted} requests a second in this account and Region, below the setting requestsPerSecond, ${requestsPerSecond}: ask AWS for more (API Gateway, "Throttle rate").`,
        ),
      ];
};

/** Checks that the account has room for the roles that a deployment makes, before CloudFormation deletes those that it replaces. */
const checkRoles = async (
  account: Account,
  { settings, stack }: PlannedStage,
  running: RunningStack,
): Promise<readonly Finding[]> => {
  const runningRoles = running.kind === "none" ? new Set() : await account.stackRoles(settings.stage);
  const newRoles = stack.roles.filter((id) => !runningRoles.has(id)).length;
  const { used, quota } = await account.roles();
  return quota - used >= newRoles
    ? [ok(`The account has ${used} of ${quota} roles, and the deployment makes ${newRoles}.`)]
    : [
        fault(
          `The account has ${used} of ${quota} roles, and the deployment makes ${newRoles}: delete some, or ask AWS for more (IAM, "Roles per account").`,
        ),
      ];
};

/** Checks the parameters of the default judge's provider. Runs fail without them; everything else works, so that nothing stops. */
const checkParameters = async (account: Account, settings: Settings): Promise<readonly Finding[]> => {
  const entry = providerEntry(resolveModel(settings.judgeModel)?.provider ?? "");
  const configured = entry === undefined ? undefined : settings.providers[entry.key];
  const names = (entry?.required ?? []).flatMap((name) => configured?.[name] ?? []);
  if (names.length === 0) return [];
  const types = await account.parameterTypes(names);
  return names.map((name) => {
    const type = types.get(name);
    const command = `aws ssm put-parameter --type SecureString --name ${name}`;
    if (type === undefined)
      return note(
        `The parameter ${name} does not exist, so that runs by ${settings.judgeModel} fail until you store it: ${command} --value ...`,
      );
    return type === "SecureString"
      ? ok(`The parameter ${name} is stored.`)
      : note(
          `The parameter ${name} is a ${type}, which is not encrypted: delete it, and store it again with ${command}.`,
        );
  });
};

/** Returns why a table's indexes cannot be updated: DynamoDB makes or deletes one index in an update of a table. */
const indexFault = (table: TableName, deployed: readonly string[], isRestored: boolean): Finding | null => {
  const definition: TableDefinition = tables[table];
  const wanted = Object.keys(definition.indexes ?? {});
  const newIndexes = wanted.filter((name) => !deployed.includes(name));
  const oldIndexes = deployed.filter((name) => !wanted.includes(name));
  if (isRestored)
    return newIndexes.length === 0
      ? null
      : fault(`The restored table ${table} has no index ${newIndexes.join(", ")}: make it before this deployment.`);
  return newIndexes.length + oldIndexes.length <= 1
    ? null
    : fault(
        `The table ${table} would get ${newIndexes.join(", ") || "no index"} and lose ${oldIndexes.join(", ") || "none"}, and DynamoDB makes or deletes one index in an update: deploy the versions between, one after the other.`,
      );
};

const checkIndexes = async (account: Account, settings: Settings): Promise<readonly Finding[]> => {
  const deployed = await account.indexes(settings.stage);
  const faults = tableNames.flatMap(
    (name) => indexFault(name, deployed.get(name) ?? [], settings.restoredTables[name] !== undefined) ?? [],
  );
  return faults.length > 0 ? faults : [ok("The indexes of the tables can be updated.")];
};

/** Checks an account before a deployment: bootstrap, quotas, parameters, roles, and indexes of a stage that exists. */
export const checkAccount = async (
  account: Account,
  planned: PlannedStage,
  running: RunningStack,
): Promise<readonly Finding[]> => {
  const { settings } = planned;
  const findings = [
    answered("The CDK's bootstrap stack", () => checkBootstrap(account)),
    answered("Lambda's concurrency", () => checkConcurrency(account, settings, running)),
    answered("API Gateway's throttle", () => checkThrottle(account, settings)),
    answered("The parameters of the judge's provider", () => checkParameters(account, settings)),
    answered("The number of roles", () => checkRoles(account, planned, running)),
    ...(running.kind === "none" ? [] : [answered("The indexes of the tables", () => checkIndexes(account, settings))]),
  ];
  return (await Promise.all(findings)).flat();
};
