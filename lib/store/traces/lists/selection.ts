import type { ScoresByName } from "../../../domain/score-condition.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import { invalid } from "../../../domain/refusal.ts";
import type { PackedTrace } from "../packed-trace.ts";

/** One life of a trace; of a session the incarnation is null. */
export interface Life {
  readonly id: string;
  readonly incarnation: string | null;
}

/** The newest successful scores that some traces or sessions of a project have under some names, in their order. */
export type ScoresOf = (
  project: string,
  lives: readonly Life[],
  names: readonly string[],
) => Promise<readonly ScoresByName[]>;

/** Lives whose newest scores one list looks at: each costs half a read unit for each name. */
export const mostScored = 100_000;

/** Lives that are looked at together. */
const together = 2_000;

const noScores: ScoresByName = new Map();

/** @throws Refusal `invalid` when the newest scores of more would have to be looked at. */
export const checkScored = (lives: number, most: number, loc: readonly string[]): void => {
  if (lives <= most) return;
  const msg = `The scores of more than ${most.toLocaleString("en")} would have to be looked at. Add filters beside those of scores.`;
  throw invalid(loc, msg, "too_many_rows");
};

/**
 * Shows what a filter lets pass of rows, one by one, in no particular order: at once where it asks for no scores, else
 * when all rows have been seen.
 *
 * @param loc of the field that asks for scores.
 */
export const selection = (
  project: string,
  filter: Pick<TraceFilter, "matches" | "scores">,
  scoresOf: ScoresOf | undefined,
  loc: readonly string[],
  show: (trace: PackedTrace, scores: ScoresByName) => void,
) => {
  const { matches, scores } = filter;
  const waiting: PackedTrace[] = [];
  return {
    /** @throws Refusal `invalid` when the scores of too many rows would have to be looked at. */
    see: (trace: PackedTrace): void => {
      if (!matches(trace)) return;
      if (scores === null) {
        show(trace, noScores);
        return;
      }
      waiting.push(trace);
      checkScored(waiting.length, mostScored, loc);
    },
    end: async (): Promise<void> => {
      if (scores === null) return;
      if (scoresOf === undefined) throw new Error("A filter asks for scores, and nobody is there to look.");
      while (waiting.length > 0) {
        const some = waiting.splice(-together);
        const lives = some.map(({ traceId: id, incarnation }) => ({ id, incarnation }));
        const found = await scoresOf(project, lives, scores.names);
        some.forEach((trace, index) => {
          const own = found[index] ?? noScores;
          if (scores.matches(own)) show(trace, own);
        });
      }
    },
  };
};
