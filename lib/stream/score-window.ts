import type { DynamoDBStreamEvent } from "aws-lambda";
import { allEnded } from "../async/all-ended.ts";
import { semaphore } from "../async/semaphore.ts";
import type { LivingProjects } from "../store/access/living-projects.ts";
import type { ScoreChange } from "../store/scores/statistics.ts";
import { scoreChange } from "./score-change.ts";
import { sessionsOfChanges } from "./scored-sessions.ts";

/** Sessions that are looked at side by side: each has an item of its own. */
const sessionsAtOnce = 20;

/** The event of a mapping with a tumbling window, which alone names its shard. The call that ends it has no records. */
interface WindowEvent extends Partial<DynamoDBStreamEvent> {
  readonly shardId?: string;
}

/** The statistics of a project's scores: folds changes of one shard into them. */
interface Statistics {
  fold(shard: string, changes: readonly ScoreChange[]): Promise<void>;
}

/** The newest score of a name that a session has: looks for it again. */
interface Latest {
  refresh(project: string, name: string, session: string): Promise<void>;
}

/**
 * Makes the function that follows the scores' stream. Of a project that is being deleted nothing is written, however late its
 * records come: nobody would look for it later than the deletion does.
 */
export const scoreWindow =
  (statistics: Statistics, latest: Latest, living: LivingProjects) =>
  async ({ shardId, Records = [] }: WindowEvent): Promise<{ readonly state: Record<string, never> }> => {
    if (shardId === undefined) throw new Error("The event names no shard: its mapping has no window.");
    const recorded = Records.map(scoreChange);
    const alive = await living(recorded.map(({ project }) => project));
    const changes = recorded.filter(({ project }) => alive.has(project));
    await statistics.fold(shardId, changes);
    const turns = semaphore(sessionsAtOnce);
    await allEnded(
      sessionsOfChanges(changes).map(({ project, name, session }) =>
        turns(() => latest.refresh(project, name, session)),
      ),
    );
    return { state: {} };
  };
