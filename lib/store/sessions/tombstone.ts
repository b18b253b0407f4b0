import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { tombstoneKey } from "../traces/keys.ts";
import { shortId } from "../traces/writer.ts";

/**
 * Seconds until a session's tombstone expires while the deletion request is in progress (open tombstone): two minutes,
 * after which the request has answered or died.
 */
const openSeconds = 120;

/**
 * Seconds until a session's tombstone expires after the deletion request has ended (closed tombstone): an hour, longer
 * than any index lags.
 */
const closedSeconds = 3600;

/**
 * Tombstone that records a session's deletion and its time. The stream triggers the purge when the tombstone is
 * closed and again when it expires: even if the request died, the rest of the session is deleted.
 */
export const sessionTombstone = (database: Database, project: string, session: string) => {
  const rows = itemsOf(database, "rows");
  const id = shortId();
  const key = tombstoneKey(project, session);

  return {
    /**
     * Writes the open tombstone, at the beginning of the deletion request.
     *
     * @param at time of the deletion, epoch milliseconds: later changes of the session are kept.
     */
    put: async (at: number): Promise<void> => {
      const ttl = Math.ceil(at / 1000) + openSeconds;
      await rows.put({ ...key, id, session, at, ttl });
    },
    /**
     * Closes the tombstone after the request has counted its deletions, which starts the purge.
     *
     * @param at epoch milliseconds.
     */
    close: async (at: number): Promise<void> => {
      // A refusal means that another request deletes the session, too, and closes its own tombstone.
      await ifConditionHolds(
        rows.update(key, "SET closed = :closed, #ttl = :ttl", {
          when: "id = :id",
          values: { ":id": id, ":closed": true, ":ttl": Math.ceil(at / 1000) + closedSeconds },
        }),
      );
    },
  };
};
