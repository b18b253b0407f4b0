import type { TraceRow } from "../../domain/traces/row.ts";
import { tryAgain } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { traceDays } from "./days.ts";
import { traceReader } from "./reader.ts";
import { traceWriter } from "./writer.ts";
import { retryUntilUnlocked } from "./retry-until-unlocked.ts";

/** Deletes traces; their data is purged in the background. */
export interface TraceRemoval {
  /**
   * Deletes a trace: every later read treats it as absent, and its data is purged in the background.
   *
   * @returns true if this call deleted the trace; of several concurrent calls only one returns true.
   */
  remove(project: string, trace: string): Promise<boolean>;
  /**
   * Deletes a row's trace if `shouldRemove` is true for its current row.
   *
   * @param isErased true if for 24 hours the id takes no new trace either.
   * @returns true if this call deleted the trace.
   */
  removeWhile(
    project: string,
    row: TraceRow,
    shouldRemove: (row: TraceRow) => boolean,
    isErased?: boolean,
  ): Promise<boolean>;
}

export const traceRemoval = (database: Database, now: () => number = Date.now): TraceRemoval => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);

  /** @param tryRemove deletes a row if it is still current, else returns `tryAgain`. */
  const removeTrace = (
    project: string,
    trace: string,
    initialRow: TraceRow | undefined,
    tryRemove: (row: TraceRow) => Promise<boolean | typeof tryAgain>,
  ): Promise<boolean> => {
    let row = initialRow;
    return retryUntilUnlocked(async () => {
      row ??= (await reader.locate(project, trace))?.row;
      const isRemoved = row === undefined ? false : await tryRemove(row);
      row = undefined;
      return isRemoved;
    });
  };

  return {
    remove: (project, trace) =>
      removeTrace(
        project,
        trace,
        undefined,
        async (row) => (await writer.replaceWithTombstone(project, row)) || tryAgain,
      ),
    removeWhile: (project, initialRow, shouldRemove, isErased = false) =>
      removeTrace(project, initialRow.traceId, initialRow, async (row) => {
        if (!shouldRemove(row)) return false;
        return (await writer.replaceWithTombstone(project, row, { version: row.version, isErased })) || tryAgain;
      }),
  };
};
