const statements = `
  PRAGMA busy_timeout = 5000;
  CREATE INDEX IF NOT EXISTS local_stream_seq ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
  DELETE FROM _stream_records WHERE created_at < unixepoch() - 86400
    AND id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name);`;

/**
 * Adds the missing index on dynoxide's stream records (without it every record slows down writes) and deletes records older than
 * a day, as DynamoDB does. Keeps each table's newest record, because dynoxide continues its sequence numbers.
 *
 * Depends on the private schema of one pinned version, so a failure is returned, not thrown: a stream without the index is slow
 * but correct.
 *
 * @returns true if the statements succeeded
 */
export const repairStreams = (path: string): boolean => {
  try {
    // Loaded here, as in `file-lock.ts`.
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
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
