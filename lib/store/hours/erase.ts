import { batchGet } from "../../dynamo/batches.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { countCheckKeys } from "../traces/count-check.ts";
import type { Database } from "../../dynamo/database.ts";
import { eraseItems, erasePartition, type Erase } from "../../dynamo/erase-items.ts";
import { facetNotesPartition } from "../totals/facet-check.ts";
import { runCountsPartition } from "../totals/facets.ts";
import { documentUsagePartition } from "./document-usage.ts";
import { hoursPartition } from "./keys.ts";
import { scoreCountsPartition } from "../scores/counts.ts";
import { changePartition, manifestPartition, snapshotPartition } from "../lake/keys.ts";
import { latestPartition } from "../scores/latest-of-session.ts";
import { pendingKinds, pendingMarkers } from "./pending-markers.ts";
import { repricingsPartition } from "../traces/repricing/jobs.ts";
import { segmentsPartition } from "../sessions/segment-keys.ts";
import { statisticsNotesPartition } from "../scores/statistics-check.ts";
import { statisticsPartition } from "../scores/statistics-keys.ts";
import { endingMarkers } from "../traces/silence/ending-markers.ts";
import { countsPartition } from "../traces/counts.ts";

/**
 * Erases all sums and counters computed from a project's traces and scores. Stream workers can write some of them
 * once more.
 */
export const eraseAggregates = (database: Database): Erase => {
  const markerLists = pendingKinds.map((kind) => pendingMarkers(database, kind));

  const endings = endingMarkers(database);

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
      manifestPartition(project),
      changePartition(project),
      snapshotPartition(project),
    ];
    for (const partition of partitions) yield* erasePartition(database, "aggregates", partition);
    const countChecks = await batchGet(database, "aggregates", countCheckKeys(project));
    yield await eraseItems(database, "aggregates", countChecks);
    for (const partition of [facetNotesPartition, statisticsNotesPartition])
      for await (const note of itemsOf(database, "aggregates").query({ pk: partition, prefix: `${project}#` }))
        yield await eraseItems(database, "aggregates", [note]);
    for (const pending of markerLists) {
      for await (const marker of pending.list(project)) {
        await pending.clear(marker);
        yield 1;
      }
    }
    for await (const marker of endings.due()) {
      if (marker.project !== project) continue;
      await endings.clear(marker);
      yield 1;
    }
  };
};
