import type { Score } from "../../../domain/scores/score.ts";
import type { Database } from "../../../dynamo/database.ts";
import type { ScoreKind } from "../kind.ts";

/** A score with its staleness: true if its target has changed since it was created; null when unknown. */
export type WithStaleness<S extends Score> = S & { readonly stale: boolean | null };

/** Scores per staleness check while a stream of scores is read. */
const chunkSize = 100;

/** Adds staleness to a score, and drops what locates the trace's row, which only serves the staleness check. */
export const withStaleness = <S extends Score>(score: S, stale: boolean | null): WithStaleness<S> => ({
  ...score,
  trace_started_at: undefined,
  trace_partition: undefined,
  stale,
});

/** Reads the staleness of scores. */
export const stalenessReader = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
) => {
  const staleness = kind.staleness(database, now);

  /** Adds staleness to scores, in their order. */
  const all = async (project: string, scores: readonly S[]): Promise<WithStaleness<S>[]> => {
    const stale = await staleness(project, scores);
    return scores.map((score, index) => withStaleness(score, stale[index] ?? null));
  };

  return {
    all,
    /** Reads the staleness of one score. */
    one: async (project: string, score: S): Promise<boolean | null> => (await staleness(project, [score]))[0] ?? null,
    /** Adds staleness to a stream of scores. */
    each: async function* (project: string, scores: AsyncIterable<S>): AsyncGenerator<WithStaleness<S>> {
      let pending: S[] = [];
      for await (const score of scores) {
        pending.push(score);
        if (pending.length < chunkSize) continue;
        yield* await all(project, pending);
        pending = [];
      }
      yield* await all(project, pending);
    },
  };
};
