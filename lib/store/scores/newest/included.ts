import type { ScoreGiver } from "../../../domain/scores/precedence.ts";
import type { NewestScore } from "../../../domain/scores/newest-score.ts";
import { byCodePoint } from "../../../domain/text.ts";
import type { Database } from "../../../dynamo/database.ts";
import type { Incarnation } from "../../traces/lists/list.ts";
import type { ScoreTarget } from "../keys.ts";
import { newestScores } from "../newest.ts";

/** The newest successful score of a name. */
export type SucceededScore = { readonly name: string } & NonNullable<NewestScore["score"]>;

/**
 * Reads the newest successful scores of all names for the traces or sessions of a page, sorted by name. Each trace or
 * session costs half a read unit and one request. They may lag writes by seconds. With a `giver` they are the newest of that one.
 */
export const includedScoreReader = (database: Database, target: ScoreTarget, now: () => number = Date.now) => {
  const newest = newestScores(database, now);
  return async (
    project: string,
    incarnations: readonly Incarnation[],
    giver?: ScoreGiver,
  ): Promise<readonly (readonly SucceededScore[])[]> => {
    if (incarnations.length === 0) return [];
    const newestScoresByTarget = await newest.of(
      incarnations.map(({ id, incarnation }) => ({ project, target, id, incarnation })),
      giver,
    );
    return newestScoresByTarget.map((scores) =>
      scores
        .flatMap(({ name, score }) => (score === null ? [] : [{ name, ...score }]))
        .toSorted((a, b) => byCodePoint(a.name, b.name)),
    );
  };
};
