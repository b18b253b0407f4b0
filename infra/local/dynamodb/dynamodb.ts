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

const repairIntervalMs = 600_000;

/** The running database with the template's tables. */
export interface DynamoDb extends Endpoint {
  /** Streams of the tables by the ARN that functions see. */
  readonly streams: ReadonlyMap<string, Stream>;
}

/**
 * Starts DynamoDB on a database engine: creates the template's tables, their streams and the expiry of items.
 *
 * Not supported: throttling, transaction conflicts, stale reads, backups, IAM; see also `dynoxide.ts`, `dynamodb-local.ts`,
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
    const { LatestStreamArn: engineStreamArn } = await ensureTable(client, table);
    // The engines invent a region in their stream ARNs; functions see the ARN in the local region.
    const StreamArn = engineStreamArn && arn("dynamodb", arnResource(engineStreamArn));
    if (engineStreamArn !== undefined && StreamArn !== undefined)
      streams.set(StreamArn, { engineArn: engineStreamArn, arn: StreamArn, timeStep: database.streamTimeStep });
    resolver.describe(table.id, {
      ref: TableName,
      attributes: {
        Arn: arn("dynamodb", `table/${TableName}`),
        ...(StreamArn !== undefined && { StreamArn }),
      },
    });
  }

  database.repair();
  const repairs = setInterval(() => database.repair(), repairIntervalMs).unref();
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
