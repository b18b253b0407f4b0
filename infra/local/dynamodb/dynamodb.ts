import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { join } from "node:path";
import { localClient } from "../host/aws-client.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import type { ProcessRegister } from "../host/process-register.ts";
import { arn, place } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { startDynoxide } from "./dynoxide.ts";
import { repairStreams } from "./stream-repairs.ts";
import { localTable } from "./table-definition.ts";
import { ensureTable } from "./tables.ts";
import { startTimeToLive } from "./time-to-live.ts";

const trimEveryMs = 600_000;

/**
 * DynamoDB: dynoxide with the template's tables, their streams and their expiry. The data stays in the directory.
 *
 * Does not do: throttling, transaction conflicts, stale reads, backups, IAM; see also `dynoxide.ts`,
 * `table-definition.ts` and `time-to-live.ts`.
 */
export const startDynamoDb = async (
  directory: string,
  resolver: Resolver,
  register: ProcessRegister,
): Promise<Endpoint> => {
  const database = await startDynoxide(join(directory, "dynamodb.sqlite"), register);
  const client = new DynamoDBClient(localClient(database.url));
  const tables = resolver
    .resources("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
    .map(({ id, properties }) => localTable(id, resolver.nameOf(id), properties));
  for (const table of tables) {
    const { TableName } = table.create;
    const { LatestStreamArn } = await ensureTable(client, table);
    resolver.describe(table.id, {
      ref: TableName,
      attributes: {
        Arn: arn("dynamodb", `table/${TableName}`),
        // The database puts its own name in the place of the region, and takes any.
        ...(LatestStreamArn !== undefined && { StreamArn: LatestStreamArn.replace(":dynoxide:", `:${place.region}:`) }),
      },
    });
  }

  repairStreams(database.path);
  const trim = setInterval(() => repairStreams(database.path), trimEveryMs).unref();
  const expiry = startTimeToLive(client, tables);
  return {
    url: database.url,
    close: async () => {
      clearInterval(trim);
      await expiry.stop();
      client.destroy();
      await database.close();
    },
  };
};
