import { sideBySide } from "../async/side-by-side.ts";
import type { ScoreChange } from "../store/scores/statistics.ts";

/** A session whose scores of one name have changed. */
interface ScoredSession {
  readonly project: string;
  readonly name: string;
  readonly session: string;
}

/** The newest score of a name that a session has: looks for it again. */
export interface LatestScores {
  refresh(project: string, name: string, session: string): Promise<void>;
}

/** Sessions looked at at a time. */
const width = 20;

/** Whether the newest success of a session can be another than before: what has never succeeded is never the newest one. */
const concernsSuccess = ({ before, after }: ScoreChange): boolean =>
  before?.status === "SUCCESS" || after?.status === "SUCCESS";

/** The sessions and names whose newest success some changes may have changed, each once. */
const sessionsOfChanges = (changes: readonly ScoreChange[]): readonly ScoredSession[] => {
  const found = new Map<string, ScoredSession>();
  for (const { project, session, before, after } of changes.filter(concernsSuccess)) {
    const name = (after ?? before)?.name;
    if (session === null || name === undefined) continue;
    found.set(JSON.stringify([project, name, session]), { project, name, session });
  }
  return [...found.values()];
};

/**
 * Looks again for the newest scores of the sessions that some changes are about, side by side: each has an item of its own.
 *
 * @throws what the first that failed threw, after all have ended.
 */
export const refreshSessions = async (latest: LatestScores, changes: readonly ScoreChange[]): Promise<void> => {
  await sideBySide(sessionsOfChanges(changes), width, ({ project, name, session }) =>
    latest.refresh(project, name, session),
  );
};
