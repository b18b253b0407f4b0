import { DatabaseSync } from "node:sqlite";

const statements = `
  PRAGMA busy_timeout = 5000;
  CREATE INDEX IF NOT EXISTS local_stream_seq ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
  DELETE FROM _stream_records WHERE created_at < unixepoch() - 86400
    AND id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name);`;

/**
 * Gives dynoxide's stream records the index they lack (without it writes slow down with every record) and drops those
 * older than a day, as DynamoDB does. Keeps each table's newest record: sequence numbers go on from it.
 *
 * Relies on the private schema of one pinned version, so it reports failure instead of throwing: an unindexed stream is
 * slow, not wrong.
 *
 * @returns whether it worked.
 */
export const repairStreams = (path: string): boolean => {
  try {
    const database = new DatabaseSync(path);
    try {
      database.exec(statements);
    } finally {
      database.close();
    }
    return true;
  } catch {
    return false;
  }
};
