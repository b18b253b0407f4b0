import { isDeepStrictEqual } from "node:util";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { allEnded } from "../async/all-ended.ts";
import type { LivingProjects } from "../store/access/living-projects.ts";
import type { ScoreChange } from "../store/scores/statistics.ts";
import type { counterStore } from "../store/counters.ts";
import type { ScoredPlace } from "../store/scores/newest.ts";
import { scoreChange } from "./score-change.ts";
import { scoreCounts } from "./score-counts.ts";
import { scoredPlace } from "./scored-place.ts";
import { refreshSessions, type LatestScores } from "./scored-sessions.ts";

/** The event of a mapping with a tumbling window, which alone names its shard. The call that ends it has no records. */
interface WindowEvent extends Partial<DynamoDBStreamEvent> {
  readonly shardId?: string;
}

/** The statistics of a project's scores: folds changes of one shard into them. */
interface Statistics {
  fold(shard: string, changes: readonly ScoreChange[]): Promise<void>;
}

/** The newest score of each name of a trace or a session: looks for those again that have changed. */
interface NewestScores {
  refresh(changes: readonly ScoredPlace[]): Promise<void>;
}

/**
 * Makes the function that follows the scores' stream. Of a project that is being deleted nothing is written, however late its
 * records come: nobody would look for it later than the deletion does.
 */
export const scoreWindow =
  (
    statistics: Statistics,
    latest: LatestScores,
    newest: NewestScores,
    counters: Pick<ReturnType<typeof counterStore>, "fold">,
    living: LivingProjects,
  ) =>
  async ({ shardId, Records = [] }: WindowEvent): Promise<{ readonly state: Record<string, never> }> => {
    if (shardId === undefined) throw new Error("The event names no shard: its mapping has no window.");
    const recorded = Records.map(scoreChange);
    const alive = await living(recorded.map(({ project }) => project));
    // What lists and people see may change without what is summed up.
    const changes = recorded.filter(
      ({ project, before, after }) => alive.has(project) && !isDeepStrictEqual(before, after),
    );
    await allEnded([
      counters.fold(
        shardId,
        Records.flatMap(scoreCounts).filter(({ project }) => alive.has(project)),
      ),
      statistics.fold(shardId, changes),
    ]);
    await refreshSessions(latest, changes);
    await newest.refresh(Records.flatMap(scoredPlace).filter(({ project }) => alive.has(project)));
    return { state: {} };
  };
