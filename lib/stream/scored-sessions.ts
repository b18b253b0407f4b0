import { mapConcurrently } from "../async/concurrency.ts";
import type { ScoreChange } from "../store/scores/statistics.ts";

/** Session with changed scores of one name. */
interface ScoredSession {
  readonly project: string;
  readonly name: string;
  readonly session: string;
}

/**
 * Store of a session's newest successful score by name; `refresh` recomputes the stored score after a change of the
 * session's scores.
 */
export interface LatestScores {
  refresh(project: string, name: string, session: string): Promise<void>;
}

/** Sessions that are refreshed concurrently. */
const concurrency = 20;

/** True if a change can affect the newest successful score of a session: the score is or was successful. */
const canChangeNewestSuccess = ({ before, after }: ScoreChange): boolean =>
  before?.status === "SUCCESS" || after?.status === "SUCCESS";

/** Returns the distinct sessions and score names whose newest successful score may have changed. */
const sessionsOfChanges = (changes: readonly ScoreChange[]): readonly ScoredSession[] => {
  const sessions = new Map<string, ScoredSession>();
  for (const { project, session, before, after } of changes.filter(canChangeNewestSuccess)) {
    const name = (after ?? before)?.name;
    if (session === null || name === undefined) continue;
    sessions.set(JSON.stringify([project, name, session]), { project, name, session });
  }
  return [...sessions.values()];
};

/**
 * Refreshes the newest scores of all sessions that score changes affect, concurrently.
 *
 * @throws the error of the first failed session, after all have ended.
 */
export const refreshSessions = async (latest: LatestScores, changes: readonly ScoreChange[]): Promise<void> => {
  await mapConcurrently(sessionsOfChanges(changes), concurrency, ({ project, name, session }) =>
    latest.refresh(project, name, session),
  );
};
