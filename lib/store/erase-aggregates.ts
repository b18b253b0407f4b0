import type { Database } from "./database.ts";
import { erasePartition, keyPages, type Erase } from "./erase-items.ts";
import { hoursPartition } from "./hour-keys.ts";
import { latestPartition } from "./latest-session-scores.ts";
import { pendingMarks } from "./pending-marks.ts";
import { statisticsPartition } from "./score-statistics-keys.ts";
import { countsPartition } from "./trace-counts.ts";

/** Everything that was computed from a project's traces and scores. The streams' workers may write some of it once more. */
export const eraseAggregates = (database: Database): Erase => {
  const marks = pendingMarks(database, "hours");

  return async function* (project) {
    const sessionScores = statisticsPartition("session", project);
    // The statistics know the names of the scores; so they go after what is found by these.
    for await (const keys of keyPages(database, "aggregates", sessionScores)) {
      const names = new Set(keys.map(({ sk }) => String(sk).split("#")[1] ?? ""));
      for (const name of names) yield* erasePartition(database, "aggregates", latestPartition(project, name));
    }
    const partitions = [
      sessionScores,
      statisticsPartition("trace", project),
      hoursPartition(project),
      countsPartition(project),
    ];
    for (const partition of partitions) yield* erasePartition(database, "aggregates", partition);
    for await (const mark of marks.list(project)) {
      await marks.clear(mark);
      yield 1;
    }
  };
};
