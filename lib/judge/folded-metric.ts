import type { Judgement } from "../domain/scores/automated-score.ts";
import type { FoldedScores } from "../domain/metrics/fold.ts";

/** A metric that makes one score of a session of scores that its traces have: nobody is asked, and nothing is spent. */
export interface FoldedMetric {
  readonly method: "fold";
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  readonly category: "session";
  /** A score of at least this is a success. */
  readonly threshold: number;
  /** Name of the traces' scores. */
  readonly over: string;
  /** Its metadata have at most 16 KB as JSON. */
  readonly judgement: (scores: FoldedScores) => Judgement;
}
