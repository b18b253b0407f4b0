import type { Judgement } from "../domain/scores/automated-score.ts";
import type { AggregatedScores } from "../domain/metrics/aggregate.ts";

/** A metric that computes one score of a session from scores of its traces: it calls no model and costs nothing. */
export interface AggregateMetric {
  readonly method: "fold";
  readonly name: string;
  /** Description for users, one sentence. */
  readonly description: string;
  readonly category: "session";
  /** Lowest score that counts as a success. */
  readonly threshold: number;
  /** Name of the trace scores to aggregate. */
  readonly scoreName: string;
  /** Computes the session's score; its metadata has at most 16 KB as JSON. */
  readonly judgement: (scores: AggregatedScores) => Judgement;
}
