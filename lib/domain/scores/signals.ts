import { scoreNumber } from "./number.ts";
import type { SessionSignal, TraceScore } from "./score.ts";

/** Trace metrics whose scores (signals) session metrics are computed from, in the order of evaluation. */
export const signalNames = ["confidence", "coherence", "loop_detection", "tool_correctness"] as const;
/** Name of a trace metric whose scores session metrics are computed from. */
export type SignalName = (typeof signalNames)[number];

export const isSignalName = (name: string): name is SignalName => signalNames.some((each) => each === name);

/** Weight of each signal in a session metric, 0 or more. */
export type SignalWeights = Readonly<Record<SignalName, number>>;

/** Signal weights of a run whose request sets no weights. */
const defaultWeights: SignalWeights = { confidence: 1, coherence: 1, loop_detection: 1, tool_correctness: 0.8 };

/** Scores in [0, 1] of one trace of a session by signal; signals without a usable score are absent. */
export type SessionSignals = Readonly<Partial<Record<SignalName, number>>>;

/** Returns the model in the id of a judge's identity. */
export const modelOfJudge = (judge: string): string => judge.slice(0, judge.lastIndexOf("#"));

/**
 * Converts a trace score to a signal of its session; null if the score does not apply or its value is not in [0, 1].
 */
export const signalOf = (score: TraceScore): SessionSignal | null => {
  const { status, judge, metadata } = score;
  const number = scoreNumber(score);
  if (status !== "SUCCESS" || number === null || number < 0 || number > 1) return null;
  const { prompt_version: prompt } = metadata;
  return {
    trace_id: score.trace_id,
    trace_version: score.trace_version,
    name: score.name,
    value: number,
    score_id: score.id,
    source: score.source,
    judge: judge?.id ?? null,
    model: judge === null ? null : modelOfJudge(judge.id),
    prompt_version: judge !== null && typeof prompt === "string" ? prompt : null,
  };
};

/** Maximum weight of a signal, which keeps the arithmetic finite. */
const maxWeight = 1_000_000;

/** Merges requested signal weights with the defaults and caps them at 1,000,000. */
export const weightsWith = (overrides: Readonly<Partial<SignalWeights>> | null): SignalWeights => {
  const weight = (name: SignalName): number => Math.min(overrides?.[name] ?? defaultWeights[name], maxWeight);
  return {
    confidence: weight("confidence"),
    loop_detection: weight("loop_detection"),
    tool_correctness: weight("tool_correctness"),
    coherence: weight("coherence"),
  };
};
