import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../../lib/store/database.ts";
import { bodyPartition, pointerSort, rowKey } from "../../../lib/store/traces/keys.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

/** Takes a trace away: its row, which is the commit, then its pointer. */
export const deleteTrace = async (database: Database, project: string, trace: string): Promise<void> => {
  const { client, table } = database;
  const stored = await traceReader(database).get(project, trace);
  if (stored === null) return;
  const rowAt = rowKey(project, trace, stored.row.startedAt);
  await client.send(new DeleteCommand({ TableName: table("rows"), Key: rowAt }));
  const pointerAt = { pk: bodyPartition(project, trace), sk: pointerSort };
  await client.send(new DeleteCommand({ TableName: table("bodies"), Key: pointerAt }));
};
