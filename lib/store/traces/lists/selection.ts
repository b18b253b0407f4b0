import type { ScoresByName } from "../../../domain/score-condition.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import { invalid } from "../../../domain/refusal.ts";
import type { PackedTrace } from "../packed-trace.ts";

/** An incarnation of a trace; for a session the incarnation is null. */
export interface Incarnation {
  readonly id: string;
  readonly incarnation: string | null;
}

/**
 * Reads the newest successful scores under some names of traces or sessions of a project; results are in the order of
 * `incarnations`.
 */
export type ScoresOf = (
  project: string,
  incarnations: readonly Incarnation[],
  names: readonly string[],
) => Promise<readonly ScoresByName[]>;

/** Traces or sessions whose newest scores one list may read: each costs half a read unit per name. */
export const maxScoreReads = 100_000;

/** Traces whose scores are read in one batch. */
const scoreBatchSize = 2_000;

const noScores: ScoresByName = new Map();

/** Checks the number of traces or sessions whose scores are to be read. @throws Refusal `invalid` above `max`. */
export const checkScoreReads = (incarnations: number, max: number, loc: readonly string[]): void => {
  if (incarnations <= max) return;
  const msg = `The scores of more than ${max.toLocaleString("en")} traces or sessions would have to be read. Add filters other than those of scores.`;
  throw invalid(loc, msg, "too_many_rows");
};

/**
 * Passes the traces that match a filter to `visit`, in no particular order: at once if the filter has no score
 * conditions, else when all rows have been added.
 *
 * @param loc path of the request field with the score conditions.
 */
export const selection = (
  project: string,
  filter: Pick<TraceFilter, "matches" | "scores">,
  scoresOf: ScoresOf | undefined,
  loc: readonly string[],
  visit: (trace: PackedTrace, scores: ScoresByName) => void,
) => {
  const { matches, scores } = filter;
  const pendingTraces: PackedTrace[] = [];
  return {
    /** Adds a row. @throws Refusal `invalid` when the scores of too many rows would have to be read. */
    add: (trace: PackedTrace): void => {
      if (!matches(trace)) return;
      if (scores === null) {
        visit(trace, noScores);
        return;
      }
      pendingTraces.push(trace);
      checkScoreReads(pendingTraces.length, maxScoreReads, loc);
    },
    finish: async (): Promise<void> => {
      if (scores === null) return;
      if (scoresOf === undefined)
        throw new Error("The filter has score conditions, but no score reader is configured.");
      while (pendingTraces.length > 0) {
        const batch = pendingTraces.splice(-scoreBatchSize);
        const incarnations = batch.map(({ traceId: id, incarnation }) => ({ id, incarnation }));
        const scoresOfBatch = await scoresOf(project, incarnations, scores.names);
        batch.forEach((trace, index) => {
          const traceScores = scoresOfBatch[index] ?? noScores;
          if (scores.matches(traceScores)) visit(trace, traceScores);
        });
      }
    },
  };
};
