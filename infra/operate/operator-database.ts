import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { join } from "node:path";
import * as v from "valibot";
import type { Database } from "../../lib/dynamo/database.ts";
import { tableNames, type TableName } from "../../lib/dynamo/table.ts";
import { localClient } from "../local/host/aws-client.ts";
import { readJson } from "../local/host/json-file.ts";
import { localDirectory } from "../local/local-directory.ts";
import { deployedTables } from "../stack-outputs.ts";

/** The deployment that a command of the operator works on. */
export interface OperatorTarget {
  readonly stage: string;
  /** True for the service of `npm start`, in place of a stage. */
  readonly local: boolean;
}

const readyFile = v.object({ dynamodb_url: v.string(), tables: v.record(v.string(), v.string()) });

/** Connects to the database of the running service of `npm start`. @throws Error if it does not run. */
const localDatabase = (): Database => {
  const directory = localDirectory();
  const ready = v.safeParse(readyFile, readJson(join(directory, "ready.json")));
  if (!ready.success) throw new Error(`No service of npm start is running in ${directory}.`);
  const { dynamodb_url: url, tables } = ready.output;
  return {
    client: DynamoDBDocumentClient.from(new DynamoDBClient(localClient(url)), {
      marshallOptions: { removeUndefinedValues: true },
    }),
    table: (name) => tables[name] ?? name,
  };
};

/**
 * Connects to the tables of a stage by the outputs of its stack, or to those of the local service.
 *
 * @param database connection with the operator's credentials.
 * @throws Error if the stage has no such table, or the local service does not run.
 */
export const operatorDatabase = async (
  { stage, local }: OperatorTarget,
  cloudFormation: CloudFormationClient,
  database: Database,
  tables: readonly TableName[] = tableNames,
): Promise<Database> =>
  local ? localDatabase() : { ...database, table: await deployedTables(cloudFormation, stage, tables) };
