import type { Score } from "../../../domain/scores/score.ts";
import type { Database } from "../../database.ts";
import type { ScoreKind } from "../kind.ts";

/** A score as it is read, with what only the present tells of it: whether its target has changed since; null: not known. */
export type Marked<S extends Score> = S & { readonly stale: boolean | null };

/** Scores that are looked at together while many are read. */
const chunk = 100;

/** A score as it is read. Where its trace lay is for looking it up alone. */
export const marked = <S extends Score>(score: S, stale: boolean | null): Marked<S> => ({
  ...score,
  trace_started_at: undefined,
  stale,
});

/** Says of scores whether they are stale. */
export const scoreMarks = <S extends Score>(database: Database, kind: ScoreKind<S>, now: () => number = Date.now) => {
  const staleness = kind.staleness(database, now);

  /** The scores as they are read, in their order. */
  const all = async (project: string, scores: readonly S[]): Promise<Marked<S>[]> => {
    const stale = await staleness(project, scores);
    return scores.map((score, index) => marked(score, stale[index] ?? null));
  };

  return {
    all,
    /** Whether one score is stale. */
    one: async (project: string, score: S): Promise<boolean | null> => (await staleness(project, [score]))[0] ?? null,
    /** The same for any number of scores. */
    each: async function* (project: string, scores: AsyncIterable<S>): AsyncGenerator<Marked<S>> {
      let held: S[] = [];
      for await (const score of scores) {
        held.push(score);
        if (held.length < chunk) continue;
        yield* await all(project, held);
        held = [];
      }
      yield* await all(project, held);
    },
  };
};
