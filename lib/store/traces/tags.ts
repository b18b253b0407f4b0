import { isDeepStrictEqual } from "node:util";
import { invalid } from "../../domain/refusal.ts";
import { retagged, type TagChange } from "../../domain/traces/retag.ts";
import { maxTags } from "../../domain/traces/limits.ts";
import type { TraceRow } from "../../domain/traces/row.ts";
import { again } from "../attempts.ts";
import type { Database } from "../database.ts";
import { traceDays } from "./days.ts";
import { traceReader, type StoredRow } from "./reader.ts";
import { untilFree } from "./until-free.ts";
import { traceWriter } from "./writer.ts";

/** Changes of tags. They lie in the row alone: one write, whatever the size of the trace. */
export interface TraceTags {
  /**
   * A trace that may get these tags; null when there is no such trace.
   *
   * @throws Refusal `invalid` when it would have more than 100.
   */
  check(project: string, trace: string, change: TagChange): Promise<StoredRow | null>;
  /** Changes a trace's tags; one that is gone meanwhile stays gone. @throws Refusal as `check`, and `unavailable`. */
  apply(project: string, found: StoredRow, change: TagChange): Promise<void>;
}

const changed = (row: TraceRow, change: TagChange): readonly string[] => {
  const tags = retagged(row.tags, change);
  if (tags.length <= maxTags) return tags;
  throw invalid(["body", "add_tags"], `Trace ${row.traceId} would have more than ${maxTags} tags.`, "too_many_tags");
};

export const traceTags = (database: Database, now: () => number = Date.now): TraceTags => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);

  return {
    check: async (project, trace, change) => {
      const found = await reader.locate(project, trace);
      if (found !== null) changed(found.row, change);
      return found;
    },
    apply: async (project, found, change) => {
      let current: StoredRow | null = found;
      await untilFree(async () => {
        current ??= await reader.locate(project, found.row.traceId);
        if (current === null) return true;
        const { row, expiresAt } = current;
        const tags = changed(row, change);
        if (isDeepStrictEqual(tags, row.tags)) return true;
        const next = { ...row, tags, version: row.version + 1, changedAt: now() };
        current = null;
        return (await writer.replaceRow(project, row, next, expiresAt)).held || again;
      });
    },
  };
};
