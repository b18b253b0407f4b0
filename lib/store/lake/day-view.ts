import { dayOf, type Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { lakeChanges } from "./changes.ts";
import type { LakeFile } from "./lake-file.ts";
import { closingState, lakeManifests } from "./manifests.ts";

/** What a reader takes of a closed day from its files. */
export interface LakeDayView {
  readonly day: string;
  readonly files: readonly LakeFile[];
  /** Instants that the reader leaves out of the files and reads from rows: what started then may have changed. */
  readonly changed: readonly Instant[];
}

/**
 * Returns a function that reads the views of a project's UTC days that have files, newest first; all others are read from rows.
 *
 * @param maxMarks changed instants of all days, beyond which none is read from files.
 */
export const lakeDayViews = (database: Database, maxMarks = 50_000) => {
  const [changes, manifests] = [lakeChanges(database), lakeManifests(database)];

  /** @param first first day. @param last last day. @param withScores true if the reader looks at scores, too. */
  return async (project: string, first: string, last: string, withScores: boolean): Promise<readonly LakeDayView[]> => {
    // Marks before the manifests: a writer clears them after it has published files that have what they mark.
    const marks = await changes.list(project, first, last, maxMarks);
    if (marks.length > maxMarks) return [];
    const changed = marks.filter(({ scoresOnly }) => withScores || !scoresOnly).map(({ startedAt }) => startedAt);
    const changedByDay = Map.groupBy(changed, dayOf);
    return (await manifests.list(project, first, last, true))
      .filter((manifest) => closingState(manifest) === "closed")
      .map(({ day, files }) => ({ day, files, changed: changedByDay.get(day) ?? [] }));
  };
};
