import { DynamoDBStreamsClient, ListStreamsCommand } from "@aws-sdk/client-dynamodb-streams";
import type { DynamoDBRecord } from "aws-lambda";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { shardIds, shardReader } from "../../../infra/local/mapping/shard-reader.ts";
import type { TableName } from "../../../lib/dynamo/table.ts";
import type { TestDatabase } from "./database.ts";

/**
 * Returns the records added to a table's stream since the last call, oldest first, in the form that functions receive.
 */
export type TableStream = () => Promise<readonly DynamoDBRecord[]>;

/** Opens the stream of a table; the database must have been started with streams. */
export const tableStream = async (database: TestDatabase, table: TableName): Promise<TableStream> => {
  const endpoint = await database.client.config.endpoint?.();
  if (endpoint === undefined) throw new Error("The database has no endpoint of its own.");
  const { protocol, hostname, port } = endpoint;
  const client = new DynamoDBStreamsClient(localClient(`${protocol}//${hostname}:${port}`));
  const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName: database.table(table) }));
  const [{ StreamArn: engineArn } = {}] = Streams;
  if (engineArn === undefined) throw new Error(`The table ${table} has no stream.`);
  const stream = { engineArn, arn: engineArn, timeStep: database.streamTimeStep };
  const [shard] = await shardIds(client, stream);
  const readShard = shardReader(client, stream, shard ?? "", undefined, true);
  return async () => {
    const records: DynamoDBRecord[] = [];
    for (let page = await readShard(); page.last !== undefined; page = await readShard()) {
      records.push(...page.records.map(({ event }) => event as DynamoDBRecord));
    }
    return records;
  };
};
