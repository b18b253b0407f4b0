import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { lakeChanges } from "./changes.ts";
import type { LakeFile } from "./lake-file.ts";
import { lakeManifests } from "./manifests.ts";

/** What a reader takes of a closed day from its files. */
export interface LakeDayView {
  readonly files: readonly LakeFile[];
  /** Instants that the reader leaves out of the files and reads from rows: what started then may have changed. */
  readonly changed: ReadonlySet<Instant>;
}

/** Returns a function that reads the view of a project's UTC day; null if the day has no files and is read from rows. */
export const lakeDayView =
  (database: Database) =>
  async (project: string, day: string): Promise<LakeDayView | null> => {
    // Marks before the manifest: a writer clears them after it has published files that have what they mark.
    const changed = new Set((await lakeChanges(database).list(project, day)).map(({ startedAt }) => startedAt));
    const manifest = await lakeManifests(database).get(project, day);
    return manifest === null || manifest.generation === 0 ? null : { files: manifest.files, changed };
  };
