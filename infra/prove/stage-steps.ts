import { type CloudFormationClient, UpdateTerminationProtectionCommand } from "@aws-sdk/client-cloudformation";
import {
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  paginateScan,
  RestoreTableToPointInTimeCommand,
} from "@aws-sdk/client-dynamodb";
import { isMissing, readRunningStack } from "../deploy/read-running-stack.ts";
import { deployedTables, stackOutputs } from "../stack-outputs.ts";
import { tableNames } from "../../lib/dynamo/table.ts";
import { pass, passUnless, skip } from "../verify/check.ts";
import { waitUntil } from "./judge-traces.ts";
import type { Step } from "./service-steps.ts";

/** The deployed stage that is proved, and destroyed at the end. */
export interface ProvedStage {
  readonly name: string;
  readonly cloudFormation: CloudFormationClient;
  readonly dynamoDb: DynamoDBClient;
  /** Runs `npm run deploy` in a checkout. @throws Error if it fails. */
  readonly deploy: (checkout: string | null, args: readonly string[]) => Promise<void>;
  /** Runs `cdk destroy`. @throws Error if it fails. */
  readonly destroy: () => Promise<void>;
  /** Makes a checkout of a commit with its packages and this stage's settings. @returns its directory. */
  readonly checkOut: (commit: string) => Promise<string>;
  /** Returns the commit that the health check names. */
  readonly runningCommit: () => Promise<string>;
}

/** Milliseconds until the backup has the last writes, which is said to take five minutes, and that a restored table may take: most take less than an hour. */
const [backupTimeout, restoreTimeout] = [1_200_000, 7_200_000];

const countItems = async (client: DynamoDBClient, TableName: string): Promise<number> => {
  let items = 0;
  for await (const { Count = 0 } of paginateScan({ client }, { TableName, Select: "COUNT" })) items += Count;
  return items;
};

/** Creates the steps that need an AWS account. @param previous commit of the version before, or null where there is none */
export const stageSteps = (stage: ProvedStage, previous: string | null) => {
  const { name, cloudFormation, dynamoDb } = stage;
  const restore: Step = {
    title: "A table is restored from its backup, with as many items",
    run: async () => {
      const tableOf = await deployedTables(cloudFormation, name, ["rows"]);
      const [SourceTableName, TargetTableName] = [tableOf("rows"), `assay-${name}-rows-proof`];
      const source = await countItems(dynamoDb, SourceTableName);
      const RestoreDateTime = new Date(Math.ceil(Date.now() / 1000) * 1000);
      const latest = async () => {
        const backups = await dynamoDb.send(new DescribeContinuousBackupsCommand({ TableName: SourceTableName }));
        return backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.LatestRestorableDateTime;
      };
      await waitUntil("the backup of the last write", backupTimeout, latest, (end) => Number(end) >= +RestoreDateTime);
      await dynamoDb.send(new RestoreTableToPointInTimeCommand({ SourceTableName, TargetTableName, RestoreDateTime }));
      const status = async () => {
        const { Table } = await dynamoDb.send(new DescribeTableCommand({ TableName: TargetTableName }));
        return Table?.TableStatus;
      };
      await waitUntil("the restored table", restoreTimeout, status, (state) => state === "ACTIVE");
      const restored = await countItems(dynamoDb, TargetTableName);
      await dynamoDb.send(new DeleteTableCommand({ TableName: TargetTableName }));
      return passUnless(
        source === restored ? [] : [`${restored} items were restored of ${source}`],
        `${restored} items`,
      );
    },
  };
  const rollBack: Step = {
    title: "The stage is rolled back to the version before, and forward again",
    run: async () => {
      if (previous === null) return skip("no --previous commit is named: the first version has none before it");
      const commits = [await stage.runningCommit()];
      for (const checkout of [await stage.checkOut(previous), null]) {
        const running = (await stackOutputs(cloudFormation, name)).get("Version") ?? "unknown";
        await stage.deploy(checkout, ["--over", running]);
        commits.push(await stage.runningCommit());
      }
      const expected = [commits[0], previous, commits[0]];
      return passUnless(
        commits.join() === expected.join() ? [] : [`the commits were ${commits.join(", ")}`],
        `from ${commits[0]} to ${previous} and back`,
      );
    },
  };
  const destroy: Step = {
    title: "The stage is destroyed, its tables too",
    run: async () => {
      const StackName = `assay-${name}`;
      const unprotect = async () =>
        cloudFormation.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
      if ((await readRunningStack(cloudFormation, StackName)).kind === "none") {
        // A creation that was rolled back leaves a protected stack without resources; one that never began leaves none.
        await unprotect().then(stage.destroy, (error: unknown) => {
          if (!isMissing(error)) throw error;
        });
        return pass("nothing is left of the creation");
      }
      const tableOf = await deployedTables(cloudFormation, name);
      await stage.deploy(null, ["-c", "tableProtection=false"]);
      await unprotect();
      await stage.destroy();
      for (const table of tableNames) await dynamoDb.send(new DeleteTableCommand({ TableName: tableOf(table) }));
      return pass(`the stack and ${tableNames.length} tables; gateway keys and parameters stay (infra/teardown.md)`);
    },
  };
  return { restore, rollBack, destroy };
};
