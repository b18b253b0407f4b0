import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { dayOf } from "../../../lib/domain/instant.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { packRow } from "../../../lib/store/traces/row-codec.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { partitionIn, rowKey, sessionPartition } from "../../../lib/store/traces/keys.ts";

/** DynamoDB's maximum number of items per batch write. */
const batch = 25;
const parallel = 8;

const itemOf = (project: string, row: TraceRow, expiresAt: number | undefined) => ({
  ...rowKey(project, row.traceId, row),
  d: packRow(row),
  v: row.version,
  i: row.incarnation,
  s: row.sessionId === null ? undefined : sessionPartition(project, row.sessionId),
  ttl: expiresAt,
});

/**
 * Writes rows in batches, in the store's format and without documents.
 * @param expiresAt epoch seconds; no expiry when absent.
 */
export const writeRows = async (
  { client, table }: Database,
  project: string,
  rows: readonly TraceRow[],
  expiresAt?: number,
): Promise<void> => {
  const days = Map.groupBy(rows, ({ startedAt }) => dayOf(startedAt));
  const listDay = traceDays({ client, table });
  for (const [day, rowsOfDay] of days)
    await listDay.add(
      project,
      day,
      rowsOfDay.some(({ incarnation }) => partitionIn(incarnation) > 0),
    );
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < rows.length) {
      const batchRows = rows.slice(next, (next += batch));
      const puts = batchRows.map((row) => ({ PutRequest: { Item: itemOf(project, row, expiresAt) } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [table("rows")]: puts } }));
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
};
