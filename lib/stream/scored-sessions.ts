import type { ScoreChange } from "../store/scores/statistics.ts";

/** A session whose scores of one name have changed. */
interface ScoredSession {
  readonly project: string;
  readonly name: string;
  readonly session: string;
}

/** The sessions and names that some changes are about, each once. */
export const sessionsOfChanges = (changes: readonly ScoreChange[]): readonly ScoredSession[] => {
  const found = new Map<string, ScoredSession>();
  for (const { project, session, before, after } of changes) {
    const name = (after ?? before)?.name;
    if (session === null || name === undefined) continue;
    found.set(JSON.stringify([project, name, session]), { project, name, session });
  }
  return [...found.values()];
};
