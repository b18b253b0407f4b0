import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../../lib/dynamo/database.ts";
import { bodyPartition, pointerSort, rowKey } from "../../../lib/store/traces/keys.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

/** Deletes a trace: first its row, which commits the deletion, then its pointer. */
export const deleteTrace = async (database: Database, project: string, trace: string): Promise<void> => {
  const { client, table } = database;
  const storedTrace = await traceReader(database).get(project, trace);
  if (storedTrace === null) return;
  const rowAt = rowKey(project, trace, storedTrace.row);
  await client.send(new DeleteCommand({ TableName: table("rows"), Key: rowAt }));
  const pointerAt = { pk: bodyPartition(project, trace), sk: pointerSort };
  await client.send(new DeleteCommand({ TableName: table("bodies"), Key: pointerAt }));
};
