import type { NewestScore } from "../../../domain/scores/newest-score.ts";
import { byCodePoint } from "../../../domain/order.ts";
import type { Database } from "../../database.ts";
import type { Life } from "../../traces/lists/selection.ts";
import { formerProbe } from "./former-probe.ts";
import type { ScoreTarget } from "../keys.ts";
import { newestScores } from "../newest.ts";

/** A successful score as the newest of its name. */
export type SucceededScore = { readonly name: string } & NonNullable<NewestScore["score"]>;

/**
 * Reads the newest successful scores of all names beside the items of a page, by name: half a read unit and a request for each
 * item. They may lag writes by seconds.
 */
export const includedScores = (database: Database, target: ScoreTarget, now: () => number = Date.now) => {
  const [newest, hasFormer] = [newestScores(database, now), formerProbe(database, target, now)];
  return async (project: string, lives: readonly Life[]): Promise<readonly (readonly SucceededScore[])[]> => {
    if (lives.length === 0) return [];
    const found = await newest.of(
      lives.map(({ id, incarnation }) => ({ project, target, id, incarnation })),
      await hasFormer(project),
    );
    return found.map((scores) =>
      scores
        .flatMap(({ name, score }) => (score === null ? [] : [{ name, ...score }]))
        .toSorted((a, b) => byCodePoint(a.name, b.name)),
    );
  };
};
