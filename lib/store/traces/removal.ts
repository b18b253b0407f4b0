import type { TraceRow } from "../../domain/traces/row.ts";
import { again } from "../attempts.ts";
import type { Database } from "../database.ts";
import { traceDays } from "./days.ts";
import { traceReader } from "./reader.ts";
import { traceWriter } from "./writer.ts";
import { untilFree } from "./until-free.ts";

export interface TraceRemoval {
  /**
   * Deletes a trace: from then on every read says that it is gone, and what it leaves is purged in the background.
   *
   * @returns whether this call deleted it: of several at once one is told so.
   */
  remove(project: string, trace: string): Promise<boolean>;
  /**
   * Deletes the trace of a row as long as `doomed` says so of the row as it is now.
   *
   * @returns whether this call deleted it.
   */
  removeWhile(project: string, row: TraceRow, doomed: (row: TraceRow) => boolean): Promise<boolean>;
}

export const traceRemoval = (database: Database, now: () => number = Date.now): TraceRemoval => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);

  /** @param bury tries to delete a row as it was read; `again` when it was not that any more. */
  const removeOf = (
    project: string,
    trace: string,
    known: TraceRow | undefined,
    bury: (row: TraceRow) => Promise<boolean | typeof again>,
  ): Promise<boolean> => {
    let row = known;
    return untilFree(async () => {
      row ??= (await reader.locate(project, trace))?.row;
      const done = row === undefined ? false : await bury(row);
      row = undefined;
      return done;
    });
  };

  return {
    remove: (project, trace) =>
      removeOf(project, trace, undefined, async (row) => (await writer.bury(project, row)) || again),
    removeWhile: (project, known, doomed) =>
      removeOf(project, known.traceId, known, async (row) =>
        doomed(row) ? (await writer.bury(project, row, row.version)) || again : false,
      ),
  };
};
