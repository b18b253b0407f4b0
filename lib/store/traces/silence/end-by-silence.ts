import { shownTrace } from "../../../domain/traces/times.ts";
import type { Database } from "../../../dynamo/database.ts";
import { traceDays } from "../days.ts";
import { withTraceState } from "../large-documents.ts";
import { traceReader, type StoredRow } from "../reader.ts";
import { traceWriter } from "../writer.ts";

/**
 * Ends a trace that awaits its end by silence, unless it has changed in the last `silence` milliseconds.
 *
 * @returns the instant at which the trace is due next, epoch milliseconds; null when it awaits no end any more.
 */
export type EndBySilence = (project: string, trace: string, silence: number) => Promise<number | null>;

export const endBySilence = (database: Database, now: () => number = Date.now): EndBySilence => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);

  const dueOf = (storedRow: StoredRow | null, silence: number): number | null =>
    storedRow?.row.ending === "awaited" ? storedRow.row.changedAt + silence : null;

  return async (project, trace, silence) => {
    const due = dueOf(await reader.locate(project, trace), silence);
    if (due === null || due > now()) return due;
    return await withTraceState(reader, project, trace, async (state) => {
      const stored = state.kind === "stored" ? state : null;
      const dueNow = dueOf(stored, silence);
      if (stored === null || dueNow === null || dueNow > now()) return dueNow;
      const { row, document, expiresAt } = stored;
      const { status, ended_at: endedAt } = shownTrace(document, "silence");
      // The content that a judge sees stays the same, and with it its version.
      const ended = { status, endedAt, ending: "silence", version: row.version + 1, changedAt: now() } as const;
      const { isCommitted } = await writer.replaceRow(project, row, { ...row, ...ended }, expiresAt);
      return isCommitted ? null : now() + silence;
    });
  };
};
