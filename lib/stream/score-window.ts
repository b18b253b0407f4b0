import { isDeepStrictEqual } from "node:util";
import { awaitAll } from "../async/concurrency.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import type { ScoreChange } from "../store/scores/statistics.ts";
import type { counterStore } from "../store/totals/counters.ts";
import type { ScoreLocation } from "../store/scores/newest/newest-of-names.ts";
import { scoreChange } from "./score-change.ts";
import { scoreCounts } from "./score-counts.ts";
import { scoreLocations } from "./score-locations.ts";
import { refreshSessions, type LatestScores } from "./scored-sessions.ts";
import type { WindowEvent } from "./window-event.ts";

/** Store of score statistics; `fold` adds the changes of one stream shard. */
interface Statistics {
  fold(shard: string, changes: readonly ScoreChange[]): Promise<void>;
}

/**
 * Store of the newest score of each name of a trace or session; `refresh` recomputes the stored scores after changes of
 * scores.
 */
interface NewestScores {
  refresh(changes: readonly ScoreLocation[]): Promise<void>;
}

/**
 * Creates the handler of the scores stream, which updates counters, statistics and newest scores. It skips projects that are
 * being deleted, because data written after the deletion would never be removed.
 */
export const scoreWindow =
  (
    statistics: Statistics,
    latest: LatestScores,
    newest: NewestScores,
    counters: Pick<ReturnType<typeof counterStore>, "fold">,
    living: ExistingProjects,
  ) =>
  async ({ shardId, Records = [] }: WindowEvent): Promise<{ readonly state: Record<string, never> }> => {
    if (shardId === undefined) throw new Error("The event has no shard id: its mapping needs a tumbling window.");
    const recorded = Records.map(scoreChange);
    const alive = await living(recorded.map(({ project }) => project));
    // A change may concern only fields that the statistics do not count.
    const changes = recorded.filter(
      ({ project, before, after }) => alive.has(project) && !isDeepStrictEqual(before, after),
    );
    await awaitAll([
      counters.fold(
        shardId,
        Records.flatMap(scoreCounts).filter(({ project }) => alive.has(project)),
      ),
      statistics.fold(shardId, changes),
    ]);
    await refreshSessions(latest, changes);
    await newest.refresh(Records.flatMap(scoreLocations).filter(({ project }) => alive.has(project)));
    return { state: {} };
  };
