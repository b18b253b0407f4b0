import type { AggregatedScores } from "../../domain/metrics/aggregate.ts";
import type { Judgement } from "../../domain/scores/automated-score.ts";
import type { Json } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import type { JudgedMetric } from "../metric/metric.ts";
import type { Verdict } from "./verdict.ts";

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

/** A metric that tests a trace against fixed conditions: it calls no model and costs nothing. */
export interface CheckMetric extends Pick<JudgedMetric, "name" | "description" | "category" | "threshold"> {
  readonly method: "check";
  /** True if a condition is about the expected output. */
  readonly usesExpectedOutput: boolean;
  /**
   * Computes the verdict on a trace.
   *
   * @param traceVersion version of the trace's stored row.
   * @param expectedOutput that of the dataset's item which the trace ran; null without one.
   */
  readonly verdict: (trace: Trace, traceVersion: number, expectedOutput: Json) => Verdict;
}
