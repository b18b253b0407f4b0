import { batchGet } from "../batch-get.ts";
import { countCheckKeys } from "../traces/count-check.ts";
import type { Database } from "../database.ts";
import { eraseItems, erasePartition, type Erase } from "../erase-items.ts";
import { facetNoteKeys } from "../facet-check.ts";
import { runCountsPartition } from "../facets.ts";
import { documentUsagePartition } from "./document-usage.ts";
import { hoursPartition } from "./keys.ts";
import { scoreCountsPartition } from "../scores/counts.ts";
import { latestPartition } from "../scores/latest-of-session.ts";
import { pendingMarks } from "./pending-marks.ts";
import { repricingsPartition } from "../traces/repricing/jobs.ts";
import { segmentsPartition } from "../sessions/segment-keys.ts";
import { statisticsCheck } from "../scores/statistics-check.ts";
import { statisticsPartition } from "../scores/statistics-keys.ts";
import { countsPartition } from "../traces/counts.ts";

/** Everything that was computed from a project's traces and scores. The streams' workers may write some of it once more. */
export const eraseAggregates = (database: Database): Erase => {
  const marks = [
    pendingMarks(database, "hours"),
    pendingMarks(database, "documents"),
    pendingMarks(database, "repricings"),
  ];
  const scores = statisticsCheck(database);

  return async function* (project) {
    const partitions = [
      latestPartition(project),
      statisticsPartition("session", project),
      statisticsPartition("trace", project),
      hoursPartition(project),
      documentUsagePartition(project),
      countsPartition(project),
      segmentsPartition(project),
      runCountsPartition(project),
      repricingsPartition(project),
      scoreCountsPartition("session", project),
      scoreCountsPartition("trace", project),
    ];
    for (const partition of partitions) yield* erasePartition(database, "aggregates", partition);
    yield await eraseItems(
      database,
      "aggregates",
      await batchGet(database, "aggregates", [...countCheckKeys(project), ...facetNoteKeys(project)]),
    );
    for await (const note of scores.keysOf(project)) yield await eraseItems(database, "aggregates", [note]);
    for (const pending of marks) {
      for await (const mark of pending.list(project)) {
        await pending.clear(mark);
        yield 1;
      }
    }
  };
};
