import { DynamoDBStreamsClient, ListStreamsCommand } from "@aws-sdk/client-dynamodb-streams";
import type { DynamoDBRecord } from "aws-lambda";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { shardIds, shardReader } from "../../../infra/local/mapping/shard-reader.ts";
import type { TableName } from "../../../lib/store/table.ts";
import type { TestDatabase } from "./database.ts";

/** Gives the records that came into a table's stream since it was asked last, oldest first, as functions get them. */
export type TableStream = () => Promise<readonly DynamoDBRecord[]>;

/** Reads the stream of a table of a database that was started with streams. */
export const tableStream = async (database: TestDatabase, table: TableName): Promise<TableStream> => {
  const endpoint = await database.client.config.endpoint?.();
  if (endpoint === undefined) throw new Error("The database has no endpoint of its own.");
  const { protocol, hostname, port } = endpoint;
  const client = new DynamoDBStreamsClient(localClient(`${protocol}//${hostname}:${port}`));
  const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName: database.table(table) }));
  const [{ StreamArn: ownArn } = {}] = Streams;
  if (ownArn === undefined) throw new Error(`The table ${table} has no stream.`);
  const stream = { ownArn, arn: ownArn, timeStep: database.streamTimeStep };
  const [shard] = await shardIds(client, stream);
  const read = shardReader(client, stream, shard ?? "", undefined, true);
  return async () => {
    const records: DynamoDBRecord[] = [];
    for (let page = await read(); page.last !== undefined; page = await read()) {
      records.push(...page.records.map(({ event }) => event as DynamoDBRecord));
    }
    return records;
  };
};
