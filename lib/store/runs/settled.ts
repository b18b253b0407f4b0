import type { JudgeUsage } from "../../domain/runs/judge-usage.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import type { Witness } from "../traces/witness.ts";

/** A score on its way into storage. */
export interface WitnessedScore {
  readonly score: TraceScore | SessionScore;
  readonly witness: Witness;
}

/** A pair that is decided. */
export interface SettledPair {
  readonly kind: "pair";
  /** `target * metrics + metric` within the slice. */
  readonly pair: number;
  readonly failed: boolean;
  /** Its target was not there. */
  readonly missing: boolean;
  /** Null for a pair that gets none: its target is missing, or the run cannot be judged at all. */
  readonly stored: WitnessedScore | null;
  /** It was given up without a score. */
  readonly scoreless?: true;
  /** Why it failed, in words for a user; null when it did not. */
  readonly example: string | null;
  readonly usage: JudgeUsage;
}

/** A score of a trace that the metrics of its session rest on; it is no pair of the run. */
interface SettledSignal {
  readonly kind: "signal";
  readonly stored: WitnessedScore | null;
  readonly usage: JudgeUsage;
}

export type Settled = SettledPair | SettledSignal;
