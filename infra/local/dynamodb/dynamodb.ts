import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { localClient } from "../host/aws-client.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import { arn, arnResource } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";
import type { Database } from "./engine.ts";
import { localTable } from "./table-definition.ts";
import { ensureTable } from "./tables.ts";
import { startTimeToLive } from "./time-to-live.ts";

const repairEveryMs = 600_000;

/** DynamoDB with the template's tables. */
export interface DynamoDb extends Endpoint {
  /** What the database itself calls a stream, by the ARN that the template's resources know it by. */
  readonly streams: ReadonlyMap<string, string>;
}

/**
 * DynamoDB: a database with the template's tables, their streams and their expiry.
 *
 * Does not do: throttling, transaction conflicts, stale reads, backups, IAM; see also `dynoxide.ts`, `dynamodb-local.ts`,
 * `table-definition.ts` and `time-to-live.ts`.
 */
export const startDynamoDb = async (database: Database, resolver: Resolver): Promise<DynamoDb> => {
  const client = new DynamoDBClient(localClient(database.url));
  const tables = resolver
    .resources("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
    .map(({ id, properties }) => localTable(id, resolver.nameOf(id), properties));
  const streams = new Map<string, string>();
  for (const table of tables) {
    const { TableName } = table.create;
    const { LatestStreamArn: named } = await ensureTable(client, table);
    // Each engine has a region of its own invention in it.
    const StreamArn = named && arn("dynamodb", arnResource(named));
    if (named !== undefined && StreamArn !== undefined) streams.set(StreamArn, named);
    resolver.describe(table.id, {
      ref: TableName,
      attributes: {
        Arn: arn("dynamodb", `table/${TableName}`),
        ...(StreamArn !== undefined && { StreamArn }),
      },
    });
  }

  database.repair();
  const repairs = setInterval(() => database.repair(), repairEveryMs).unref();
  const expiry = startTimeToLive(client, tables);
  return {
    url: database.url,
    streams,
    close: async () => {
      clearInterval(repairs);
      await expiry.stop();
      client.destroy();
    },
  };
};
