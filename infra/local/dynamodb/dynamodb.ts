import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { localClient } from "../host/aws-client.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import type { Stream } from "../mapping/stream-record.ts";
import { arn, arnResource } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";
import type { Database } from "./engine.ts";
import { localTable } from "./table-definition.ts";
import { ensureTable } from "./tables.ts";
import { startTimeToLive } from "./time-to-live.ts";

const repairEveryMs = 600_000;

/** DynamoDB with the template's tables. */
export interface DynamoDb extends Endpoint {
  /** The tables' streams by their ARN. */
  readonly streams: ReadonlyMap<string, Stream>;
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
  const streams = new Map<string, Stream>();
  for (const table of tables) {
    const { TableName } = table.create;
    const { LatestStreamArn: ownArn } = await ensureTable(client, table);
    // Each engine has a region of its own invention in it.
    const StreamArn = ownArn && arn("dynamodb", arnResource(ownArn));
    if (ownArn !== undefined && StreamArn !== undefined)
      streams.set(StreamArn, { ownArn, arn: StreamArn, timeStep: database.streamTimeStep });
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
