import type { JudgeUsage } from "../../domain/runs/run.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import type { Write } from "../../dynamo/items.ts";
import type { HeldItem } from "./held-judgements.ts";
import type { IncarnationCheck } from "../traces/incarnation-check.ts";

/** A score to be stored, with the condition that its target still has the same incarnation. */
export interface CheckedScore {
  readonly score: TraceScore | SessionScore;
  readonly check: IncarnationCheck;
}

/** A pair (target x metric) of a run that is settled: scored, failed or missing. */
export interface SettledPair {
  readonly kind: "pair";
  /** Index of the pair in the slice: `target * metrics + metric`. */
  readonly pair: number;
  readonly failed: boolean;
  /** True when the target did not exist. */
  readonly missing: boolean;
  /** Null for a pair without a score: its target is missing, or the run cannot be judged at all. */
  readonly checkedScore: CheckedScore | null;
  /** Present when judging was given up without a score. */
  readonly scoreless?: true;
  /** Reason of the failure, written for users; null when the pair did not fail. */
  readonly example: string | null;
  readonly usage: JudgeUsage;
  /** US dollars by which the pair's part of a call's cost differs from the cost in `usage`; absent if it does not. */
  readonly costShift?: number;
}

/**
 * A trace score that session metrics are computed from (signal), committed with a session run; not a pair of the run
 * itself.
 */
interface SettledSignal {
  readonly kind: "signal";
  readonly checkedScore: CheckedScore | null;
  readonly usage: JudgeUsage;
}

/** First verdicts of a call that are stored until a second judge is asked about their pairs; no pairs are settled. */
interface HeldVerdicts {
  readonly kind: "held";
  readonly checkedScore: null;
  readonly usage: JudgeUsage;
  readonly writes: readonly Write[];
  /** The items that the writes make. */
  readonly items: readonly HeldItem[];
}

/** A result that a slice commits: a settled pair, a trace score for session metrics (signal), or verdicts that wait. */
export type Settled = SettledPair | SettledSignal | HeldVerdicts;
