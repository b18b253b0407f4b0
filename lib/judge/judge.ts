import type { Tier } from "../domain/runs/tier.ts";
import type { Trace } from "../domain/traces/trace.ts";
import type { OnQuestion } from "./question/target-questions.ts";
import type { Purse } from "./spending/purse.ts";
import type { Verdict } from "./verdict/verdict.ts";

/** What a run asks of the judge for one of its targets. */
export interface TargetRequest {
  readonly runId: string;
  readonly projectId: string;
  readonly trace: Trace;
  /** Version of the trace's row when it was read; goes into every score's metadata. */
  readonly traceVersion: number;
  /** `<provider>/<model>`, resolved: never null. */
  readonly model: string;
  /** Whether whoever asks has chosen that model; else a metric's own takes its place. */
  readonly isChosen?: boolean;
  /** At which its provider is asked first; the standard one when absent. */
  readonly tier?: Tier;
  /** Earlier traces of the same session, oldest first: what loop_detection compares with. */
  readonly earlier?: readonly Trace[];
  /** How many still older ones were left out of `earlier`; 0 when absent. */
  readonly earlierOmitted?: number;
  /** Told of each question before it is put; false: it is not put. Every question is when absent. */
  readonly onQuestion?: OnQuestion;
}

/** One target while its metrics are judged: the transcript and what several metrics need are made once. */
export interface TargetJudge {
  /**
   * Judges one metric. Never throws for anything a provider does; throws only for a bug or an unknown metric.
   *
   * @param metric its name; of a project's own one `name@version`.
   * @param deadline epoch milliseconds by which it must have answered.
   * @param purse what its calls are paid from; without one nothing holds them back.
   */
  score(metric: string, deadline: number, purse?: Purse): Promise<Verdict>;
}

export interface Judge {
  /**
   * Whether a model can be called here at all. The text says what to configure, in words an operator can act on.
   */
  readiness(model: string): Promise<{ readonly ready: true } | { readonly ready: false; readonly message: string }>;
  target(request: TargetRequest): TargetJudge;
}
