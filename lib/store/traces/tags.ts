import { isDeepStrictEqual } from "node:util";
import { invalid } from "../../domain/refusal.ts";
import { applyTagChange, type TagChange } from "../../domain/traces/tag-change.ts";
import { maxTraceTags } from "../../domain/traces/limits.ts";
import type { TraceRow } from "../../domain/traces/row.ts";
import { tryAgain } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { traceDays } from "./days.ts";
import { traceReader, type StoredRow } from "./reader.ts";
import { retryUntilUnlocked } from "./retry-until-unlocked.ts";
import { traceWriter } from "./writer.ts";

/** Changes tags, which are stored only in a trace's row: one write, whatever the size of the trace. */
export interface TraceTags {
  /**
   * Checks that a trace can get these tags.
   *
   * @returns the trace's row; null when there is no such trace.
   * @throws Refusal `invalid` when the trace would have more than 100 tags.
   */
  check(project: string, trace: string, change: TagChange): Promise<StoredRow | null>;
  /**
   * Changes a trace's tags; does nothing if the trace was deleted meanwhile.
   *
   * @throws Refusal `invalid` above 100 tags; `unavailable` when other writers win at every attempt.
   */
  apply(project: string, storedRow: StoredRow, change: TagChange): Promise<void>;
}

const tagsAfter = (row: TraceRow, change: TagChange): readonly string[] => {
  const tags = applyTagChange(row.tags, change);
  if (tags.length <= maxTraceTags) return tags;
  throw invalid(
    ["body", "add_tags"],
    `Trace ${row.traceId} would have more than ${maxTraceTags} tags.`,
    "too_many_tags",
  );
};

export const traceTags = (database: Database, now: () => number = Date.now): TraceTags => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);

  return {
    check: async (project, trace, change) => {
      const storedRow = await reader.locate(project, trace);
      if (storedRow !== null) tagsAfter(storedRow.row, change);
      return storedRow;
    },
    apply: async (project, storedRow, change) => {
      let current: StoredRow | null = storedRow;
      await retryUntilUnlocked(async () => {
        current ??= await reader.locate(project, storedRow.row.traceId);
        if (current === null) return true;
        const { row, expiresAt } = current;
        const tags = tagsAfter(row, change);
        if (isDeepStrictEqual(tags, row.tags)) return true;
        const next = { ...row, tags, version: row.version + 1, changedAt: now() };
        current = null;
        return (await writer.replaceRow(project, row, next, expiresAt)).isCommitted || tryAgain;
      });
    },
  };
};
