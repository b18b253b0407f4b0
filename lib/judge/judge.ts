import type { ServiceTier } from "../domain/runs/tier.ts";
import type { Trace } from "../domain/traces/trace.ts";
import type { OnQuestion } from "./question/target-questions.ts";
import type { JudgeBudget } from "./spending/judge-budget.ts";
import type { Verdict } from "./verdict/verdict.ts";

/** A run's request to judge one of its targets. */
export interface TargetRequest {
  readonly runId: string;
  readonly projectId: string;
  readonly trace: Trace;
  /** Version of the trace's stored row when it was read; part of every score's metadata. */
  readonly traceVersion: number;
  /** Resolved judge model, `<provider>/<model>`. */
  readonly model: string;
  /** True if the run names the model explicitly; otherwise a custom metric's own model replaces it. */
  readonly isModelExplicit?: boolean;
  /** The provider's service tier (flex or standard) for each question's first call; standard when absent. */
  readonly tier?: ServiceTier;
  /** Earlier traces of the same session, oldest first; loop_detection compares with them. */
  readonly earlierTraces?: readonly Trace[];
  /** Number of older traces left out of `earlierTraces`; 0 when absent. */
  readonly omittedTraceCount?: number;
  /** Called before each question is sent; a question is skipped when it returns false. */
  readonly onQuestion?: OnQuestion;
}

/** Judges the metrics of one target. The transcript and extractions shared by several metrics are computed once. */
export interface TargetJudge {
  /**
   * Judges one metric. Provider failures become verdicts; rejects only for an unknown metric or a bug.
   *
   * @param metric name of a built-in metric, or `name@version` of a custom metric.
   * @param deadline latest time of the verdict, epoch milliseconds.
   * @param budget budget that pays for the calls; unlimited when absent.
   */
  score(metric: string, deadline: number, budget?: JudgeBudget): Promise<Verdict>;
  /** Judges many metrics in one call; absent if no model of the target can. */
  readonly shared?: SharedJudgement;
}

/** Judges groups of metrics of one target, each in one call of a decision model. */
interface SharedJudgement {
  /**
   * Splits metrics into groups that share a call, in their order. A metric that shares none, such as one that a chat model judges,
   * is a group of its own.
   *
   * @param metrics names as in `score`. Rejects for an unknown metric.
   */
  groupsOf(metrics: readonly string[]): Promise<readonly (readonly string[])[]>;
  /**
   * Judges the metrics of one group. The first verdict that rests on the call has its cost, the others none.
   *
   * @returns the verdicts, in the order of the metrics. They are to be stored together: otherwise the cost could be lost.
   */
  scoreAll(metrics: readonly string[], deadline: number, budget?: JudgeBudget): Promise<readonly Verdict[]>;
  /**
   * Returns the fingerprint of everything apart from a model that may change its verdict on a metric; null for a metric that no
   * judge model is asked about.
   *
   * @param metric name as in `score`.
   */
  setupOf(metric: string, model: string): Promise<string | null>;
}

/** Evaluates metrics of traces with judge and embedding models. */
export interface Judge {
  /** Checks if a model is configured here; if not, the message tells the operator what to configure. */
  readiness(model: string): Promise<{ readonly ready: true } | { readonly ready: false; readonly message: string }>;
  target(request: TargetRequest): TargetJudge;
}
